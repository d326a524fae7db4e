import type { StartWorker, WorkerPort } from './worker-port.js';
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

/** Workers that each hold a copy of the model and take one task after the other from a common queue. */
export class WorkerPool {
  readonly #workers: readonly WorkerPort[];
  readonly #idle: WorkerPort[];
  readonly #running = new Map<WorkerPort, Job>();
  readonly #queue: Job[] = [];
  /** Why no more work is done. */
  #closed: Error | undefined;

  constructor(start: StartWorker, setup: WorkerSetup, count: number) {
    this.#workers = Array.from({ length: count }, () => {
      const worker: WorkerPort = start(setup, {
        onReply: (reply) => this.#finish(worker, reply),
        onEnd: (reason) => this.close(reason),
      });
      return worker;
    });
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

  /** Ends all workers; unfinished and later tasks are rejected with `reason`. */
  close(reason: Error = new Error('The engine was disposed.')): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    for (const worker of this.#workers) worker.terminate();
    const jobs = [...this.#running.values(), ...this.#queue.splice(0)];
    this.#running.clear();
    for (const { reject } of jobs) reject(reason);
  }

  #next(): void {
    if (this.#closed !== undefined) {
      for (const { reject } of this.#queue.splice(0)) reject(this.#closed);
      return;
    }
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const worker = this.#idle.shift() as WorkerPort;
      const job = this.#queue.shift() as Job;
      this.#running.set(worker, job);
      worker.post(job.request);
    }
  }

  #finish(worker: WorkerPort, reply: WorkerReply): void {
    const job = this.#running.get(worker);
    this.#running.delete(worker);
    this.#idle.push(worker);
    if ('value' in reply) job?.resolve(reply.value);
    else job?.reject(Object.assign(new Error(reply.error.message), { name: reply.error.name }));
    this.#next();
  }
}
