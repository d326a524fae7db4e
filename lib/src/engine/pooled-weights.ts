/**
 * What an engine trains with workers. Every batch is cut as the engines of one thread cut it, workers compute the parts, and gradients are
 * added in the order of the parts: the same bits, whatever the number of workers and whoever is faster.
 *
 * Left out: threads on one shared memory inside a kernel. Parts of a batch need no exchange until their gradients are added,
 * 4 MB a part for a million parameters, and small matrices leave threads inside a kernel waiting for each other.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { type Model, trainableWeights } from '../model/index.js';
import { backendInUse, copyValues } from '../tensor/index.js';
import { flatSize, flatten, unflatten } from './flat-weights.js';
import { Optimizer } from './optimizer.js';
import { SharedBuffers } from './shared-buffers.js';
import type { EngineState, OptimParams, OptimResult } from './types.js';
import { WorkerPool } from './worker-pool.js';
import type { StartWorker } from './worker-port.js';
import type { GradientTask, SharedWeights, WorkerResults, WorkerTask } from './worker-protocol.js';

/** One that a worker fills while the one before waits for its turn to be added. */
const BUFFERS_PER_WORKER = 2;

/** @throws RangeError when `workers` is not a whole number from 1 on */
export function checkWorkers(workers: number): void {
  if (Number.isInteger(workers) && workers >= 1) return;
  throw new RangeError(`workers is ${workers}, expected a whole number from 1 on: one for each free core.`);
}

/** The weights of `model` that are trained, workers with copies of it, and their gradients until the optimizer takes its step. */
export class PooledWeights {
  readonly #pool: WorkerPool;
  /** Gradients on their way from a worker. */
  readonly #buffers: SharedBuffers;
  readonly #trained: ReadonlyMap<string, Variable>;
  readonly #optimizer: Optimizer;
  /** Accumulated since the last optimizer step, end to end. */
  #gradients: Tensor | undefined;
  /** Where gradients wait on their way in and out of the back end. Always the same: fresh memory costs garbage collections. */
  readonly #staging: Float32Array;
  #lossIsFinite = true;
  #published: SharedWeights | undefined;
  #base: SharedArrayBuffer | undefined;
  #publications = 0;

  constructor(
    private readonly model: Model,
    workers: number,
    start: StartWorker,
  ) {
    checkWorkers(workers);
    this.#trained = trainableWeights(model);
    this.#optimizer = new Optimizer(this.#trained);
    const { config, adapter } = model;
    this.#staging = new Float32Array(flatSize(this.#trained));
    this.#buffers = new SharedBuffers(4 * flatSize(this.#trained), BUFFERS_PER_WORKER * workers);
    this.#pool = new WorkerPool(start, { config, lora: adapter?.config, backend: backendInUse() }, workers);
  }

  get policyVersion(): number {
    return this.#optimizer.policyVersion;
  }

  /** What the workers compute with: today's weights. Those under an adapter are copied once. */
  async published(): Promise<SharedWeights> {
    if (this.#published === undefined) {
      const { weights, adapter } = this.model;
      if (adapter) this.#base ??= await shared(weights);
      const buffer = await shared(this.#trained);
      this.#publications += 1;
      this.#published = { version: this.#publications, buffer, base: this.#base };
    }
    return this.#published;
  }

  /** Has a worker do one task after the other with these weights, all of them at a time; their results in order. */
  runAll<V extends WorkerTask['verb']>(
    weights: SharedWeights,
    tasks: readonly Extract<WorkerTask, { readonly verb: V }>[],
  ): Promise<WorkerResults[V][]> {
    return Promise.all(tasks.map((task) => this.#pool.run<V>(weights, task)));
  }

  /** Adds the gradient of every part; returns the numbers of their reports, the first of which is the loss of the part. */
  async learn<Part>(
    parts: readonly Part[],
    taskOf: (part: Part, gradients: SharedArrayBuffer) => GradientTask,
  ): Promise<readonly Float32Array[]> {
    const weights = await this.published();
    const steps = parts.map((part) => this.#compute(weights, (gradients) => taskOf(part, gradients)));
    // one that fails before its turn has come is no unhandled rejection
    for (const step of steps) step.catch(() => undefined);
    const reports: Float32Array[] = [];
    try {
      for (let step = steps[0]; step !== undefined; step = steps[0]) {
        const { report, gradients } = await step;
        steps.shift();
        this.#accumulate(gradients);
        this.#buffers.giveBack(gradients);
        reports.push(report);
      }
    } finally {
      // after one has failed, nobody waits for the others
      for (const step of steps)
        step.then(
          ({ gradients }) => this.#buffers.giveBack(gradients),
          () => undefined,
        );
    }
    this.#lossIsFinite &&= Number.isFinite(reports.reduce((loss, [part]) => loss + (part as number), 0));
    return reports;
  }

  async optimStep(params: OptimParams): Promise<OptimResult> {
    const lossIsFinite = this.#lossIsFinite;
    this.#lossIsFinite = true;
    const result = await this.#optimizer.step(await this.#takeGradients(), lossIsFinite, params);
    if (result.stepped) this.#published = undefined;
    return result;
  }

  save(): Promise<EngineState> {
    return this.#optimizer.save();
  }

  load(state: EngineState): void {
    this.#optimizer.load(state);
    this.#forgetGradients();
    this.#published = undefined;
  }

  /** Ends the workers; frees gradients and moments, not the weights. */
  dispose(): void {
    this.#pool.close();
    this.#optimizer.dispose();
    this.#forgetGradients();
  }

  async #compute(
    weights: SharedWeights,
    taskFor: (gradients: SharedArrayBuffer) => GradientTask,
  ): Promise<{ report: Float32Array; gradients: SharedArrayBuffer }> {
    const gradients = await this.#buffers.take();
    try {
      return { report: await this.#pool.run<GradientTask['verb']>(weights, taskFor(gradients)), gradients };
    } catch (error) {
      this.#buffers.giveBack(gradients);
      throw error;
    }
  }

  #accumulate(gradients: SharedArrayBuffer): void {
    const fresh = new Float32Array(gradients);
    const sum = this.#gradients;
    // some back ends look at what a tensor is made of for as long as it lives, and the buffer is used again
    if (sum === undefined) this.#staging.set(fresh);
    this.#gradients = tf.tidy(() =>
      sum === undefined ? tf.tensor1d(this.#staging) : tf.add(sum, tf.tensor1d(fresh)),
    );
    sum?.dispose();
  }

  /** The accumulated gradients by weight; there are none afterwards. */
  async #takeGradients(): Promise<ReadonlyMap<string, Tensor>> {
    const sum = this.#gradients;
    this.#gradients = undefined;
    if (sum === undefined) return new Map();
    await copyValues(sum, this.#staging);
    sum.dispose();
    return unflatten(this.#trained, this.#staging);
  }

  #forgetGradients(): void {
    this.#gradients?.dispose();
    this.#gradients = undefined;
    this.#lossIsFinite = true;
  }
}

async function shared(weights: ReadonlyMap<string, Variable>): Promise<SharedArrayBuffer> {
  const buffer = new SharedArrayBuffer(4 * flatSize(weights));
  await flatten(weights, weights, new Float32Array(buffer));
  return buffer;
}

/** Items in parts of `size`, the last of what is left. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
