/**
 * The engine on several cores. Every batch is cut as the local engine cuts it, workers compute the parts, and gradients are added
 * in the order of the parts: the same bits as the local engine's, whatever the number of workers and whoever is faster.
 *
 * Left out: threads on one shared memory inside a kernel. Parts of a batch need no exchange until their gradients are added,
 * 4 MB a part for a million parameters, and small matrices leave threads inside a kernel waiting for each other.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import type { LossSpec } from '../losses/index.js';
import {
  type MaskedSequence,
  type Model,
  type Sample,
  type SampleKey,
  type SamplingParams,
  trainableWeights,
} from '../model/index.js';
import { backendInUse, copyValues } from '../tensor/index.js';
import { type BatchLimits, checkBatch, checkSequences, limitsOf } from './check-batch.js';
import { flatSize, flatten, unflatten } from './flat-weights.js';
import { defaultMicroBatchTokens, type EngineOptions } from './local.js';
import { sequencesAtOnce } from './micro-batches.js';
import { cutBatch, readReports } from './micro-step.js';
import { Optimizer } from './optimizer.js';
import type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  OptimParams,
  OptimResult,
} from './types.js';
import { SharedBuffers } from './shared-buffers.js';
import type { SharedWeights } from './worker-protocol.js';
import { WorkerPool } from './worker-pool.js';
import type { StartWorker } from './worker-port.js';

export interface PooledEngineOptions extends EngineOptions {
  /** Threads, each with its own copy of model and activations. */
  readonly workers: number;
}

/** Most sequences a worker samples at a time, as in `generate`. */
const SAMPLES_AT_ONCE = 64;

/** One that a worker fills while the one before waits for its turn to be added. */
const BUFFERS_PER_WORKER = 2;

/** @throws RangeError when `workers` is not a whole number from 1 on */
export function checkWorkers(workers: number): void {
  if (Number.isInteger(workers) && workers >= 1) return;
  throw new RangeError(`workers is ${workers}, expected a whole number from 1 on: one for each free core.`);
}

/** Computes with workers on the active tfjs back end; `model` is trained in place, or its adapter alone where it has one. */
export class PooledEngine implements Engine {
  readonly maxLength: number;
  private readonly workers: number;
  private readonly microBatchTokens: number;
  readonly #limits: BatchLimits;
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
    { workers, microBatchTokens = defaultMicroBatchTokens }: PooledEngineOptions,
    start: StartWorker,
  ) {
    checkWorkers(workers);
    this.workers = workers;
    this.microBatchTokens = microBatchTokens;
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
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

  async sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    const weights = await this.#weights();
    const share = Math.min(SAMPLES_AT_ONCE, Math.ceil(prompts.length / this.workers));
    const parts = chunks(prompts, share).map((part, i) =>
      this.#pool.run<'sample'>(weights, {
        verb: 'sample',
        prompts: part,
        params,
        keys: keys.slice(i * share, i * share + part.length),
      }),
    );
    return (await Promise.all(parts)).flat();
  }

  async logprobs(sequences: readonly MaskedSequence[], temperature = 1): Promise<Float32Array[]> {
    return this.#score(await this.#weights(), sequences, temperature);
  }

  async distributions(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    return this.#distributions(await this.#weights(), sequences);
  }

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.#limits);
    const weights = await this.#weights();
    const parts = cutBatch(batch, this.microBatchTokens);
    const steps = parts.map(({ data }) => this.#microStep(weights, data, loss, temperature));
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
    const result = readReports(batch, parts, reports);
    this.#lossIsFinite &&= Number.isFinite(result.loss);
    return result;
  }

  async optimStep(params: OptimParams): Promise<OptimResult> {
    const lossIsFinite = this.#lossIsFinite;
    this.#lossIsFinite = true;
    const result = await this.#optimizer.step(await this.#takeGradients(), lossIsFinite, params);
    if (result.stepped) this.#published = undefined;
    return result;
  }

  async reference(): Promise<DistributionScorer> {
    const frozen = await this.#weights();
    return {
      logprobs: (sequences, temperature = 1) => this.#score(frozen, sequences, temperature),
      distributions: (sequences) => this.#distributions(frozen, sequences),
      // the frozen weights are plain memory
      dispose: () => undefined,
    };
  }

  save(): Promise<EngineState> {
    return this.#optimizer.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#optimizer.load(state);
    this.#forgetGradients();
    this.#published = undefined;
  }

  dispose(): void {
    this.#pool.close();
    this.#optimizer.dispose();
    this.#forgetGradients();
  }

  async #microStep(
    weights: SharedWeights,
    data: readonly Datum[],
    loss: LossSpec,
    temperature: number,
  ): Promise<{ report: Float32Array; gradients: SharedArrayBuffer }> {
    const gradients = await this.#buffers.take();
    try {
      const task = { verb: 'microStep', data, loss, temperature, gradients } as const;
      return { report: await this.#pool.run<'microStep'>(weights, task), gradients };
    } catch (error) {
      this.#buffers.giveBack(gradients);
      throw error;
    }
  }

  /** What the workers compute with: today's weights. Those under an adapter are copied once. */
  async #weights(): Promise<SharedWeights> {
    if (this.#published === undefined) {
      const { weights, adapter } = this.model;
      if (adapter) this.#base ??= await shared(weights);
      const buffer = await shared(this.#trained);
      this.#publications += 1;
      this.#published = { version: this.#publications, buffer, base: this.#base };
    }
    return this.#published;
  }

  async #score(
    weights: SharedWeights,
    sequences: readonly MaskedSequence[],
    temperature: number,
  ): Promise<Float32Array[]> {
    const parts = this.#share(sequences).map((part) =>
      this.#pool.run<'logprobs'>(weights, { verb: 'logprobs', sequences: part, temperature }),
    );
    return (await Promise.all(parts)).flat();
  }

  async #distributions(
    weights: SharedWeights,
    sequences: readonly MaskedSequence[],
  ): Promise<Float32Array[]> {
    const parts = this.#share(sequences).map((part) =>
      this.#pool.run<'distributions'>(weights, { verb: 'distributions', sequences: part }),
    );
    return (await Promise.all(parts)).flat();
  }

  /** What is scored at a time. */
  #share(sequences: readonly MaskedSequence[]): (readonly MaskedSequence[])[] {
    checkSequences(sequences, this.#limits);
    return chunks(sequences, sequencesAtOnce(sequences, this.microBatchTokens));
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

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
