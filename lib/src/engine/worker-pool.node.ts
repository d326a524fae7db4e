import { Worker } from 'node:worker_threads';
import type {
  WorkerReply,
  WorkerRequest,
  WorkerResults,
  WorkerSetup,
  WorkerTask,
} from './worker-protocol.js';

interface Job {
  readonly request: WorkerRequest;
  readonly resolve: (value: WorkerResults[keyof WorkerResults]) => void;
  readonly reject: (error: Error) => void;
}

/** Threads that each hold a copy of the model and take one task after the other from a common queue. */
export class WorkerPool {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #running = new Map<Worker, Job>();
  readonly #queue: Job[] = [];
  /** Why no more work is done. */
  #closed: Error | undefined;

  constructor(setup: WorkerSetup, count: number) {
    this.#workers = Array.from({ length: count }, () => this.#start(setup));
    this.#idle = [...this.#workers];
  }

  /** Rejects with the worker's own error, which ends only this task, or when the pool is closed. */
  run<V extends WorkerTask['verb']>(
    weights: WorkerRequest['weights'],
    task: Extract<WorkerTask, { readonly verb: V }>,
  ): Promise<WorkerResults[V]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ request: { weights, task }, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  /** Ends all threads; unfinished and later tasks are rejected with `reason`. */
  close(reason: Error = new Error('The engine was disposed.')): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const worker of this.#workers) void worker.terminate();
    const jobs = [...this.#running.values(), ...this.#queue.splice(0)];
    this.#running.clear();
    for (const { reject } of jobs) reject(reason);
  }

  #start(setup: WorkerSetup): Worker {
    const worker = new Worker(new URL('./worker.node.js', import.meta.url), {
      workerData: setup,
      // a program given with --eval may be of another type than the worker's file
      execArgv: process.execArgv.filter((argument) => !argument.startsWith('--input-type')),
    });
    worker.on('message', (reply: WorkerReply) => this.#finish(worker, reply));
    worker.on('error', (error) => this.close(new Error(`A worker of the engine failed: ${error.message}`)));
    worker.on('exit', (code) => this.close(new Error(`A worker of the engine ended with status ${code}.`)));
    // an idle worker keeps no program alive; only now, as listening to messages undoes it
    worker.unref();
    return worker;
  }

  #next(): void {
    if (this.#closed !== undefined) {
      for (const { reject } of this.#queue.splice(0)) reject(this.#closed);
      return;
    }
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const worker = this.#idle.shift() as Worker;
      const job = this.#queue.shift() as Job;
      this.#running.set(worker, job);
      worker.ref();
      worker.postMessage(job.request);
    }
  }

  #finish(worker: Worker, reply: WorkerReply): void {
    const job = this.#running.get(worker);
    this.#running.delete(worker);
    worker.unref();
    this.#idle.push(worker);
    if ('value' in reply) job?.resolve(reply.value);
    else job?.reject(Object.assign(new Error(reply.error.message), { name: reply.error.name }));
    this.#next();
  }
}
