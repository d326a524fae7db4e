/** The engine on several cores: the same bits as the local engine's. */
import type { LossSpec } from '../losses/index.js';
import type { MaskedSequence, Model, Sample, SampleKey, SamplingParams } from '../model/index.js';
import { type BatchLimits, checkBatch, checkSequences, limitsOf } from './check-batch.js';
import { defaultMicroBatchTokens, type EngineOptions } from './local.js';
import { sequencesAtOnce } from './micro-batches.js';
import { cutBatch, readReports } from './micro-step.js';
import { chunks, PooledWeights } from './pooled-weights.js';
import type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  OptimParams,
  OptimResult,
} from './types.js';
import type { StartWorker } from './worker-port.js';
import type { SharedWeights } from './worker-protocol.js';

export interface PooledEngineOptions extends EngineOptions {
  /** Threads, each with its own copy of model and activations. */
  readonly workers: number;
}

/** Most sequences that a worker is given to sample: what is left is shared among those that are done. */
const SAMPLES_AT_ONCE = 64;

/** Computes with workers on the active tfjs back end; `model` is trained in place, or its adapter alone where it has one. */
export class PooledEngine implements Engine {
  readonly maxLength: number;
  private readonly workers: number;
  private readonly microBatchTokens: number;
  readonly #limits: BatchLimits;
  readonly #pooled: PooledWeights;

  constructor(
    model: Model,
    { workers, microBatchTokens = defaultMicroBatchTokens }: PooledEngineOptions,
    start: StartWorker,
  ) {
    this.workers = workers;
    this.microBatchTokens = microBatchTokens;
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
    this.#pooled = new PooledWeights(model, workers, start);
  }

  get policyVersion(): number {
    return this.#pooled.policyVersion;
  }

  async sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    const share = Math.min(SAMPLES_AT_ONCE, Math.ceil(prompts.length / this.workers));
    const tasks = chunks(prompts, share).map((part, i) => ({
      verb: 'sample' as const,
      prompts: part,
      params,
      keys: keys.slice(i * share, i * share + part.length),
    }));
    return (await this.#pooled.runAll<'sample'>(await this.#pooled.published(), tasks)).flat();
  }

  async logprobs(sequences: readonly MaskedSequence[], temperature = 1): Promise<Float32Array[]> {
    return this.#score(await this.#pooled.published(), sequences, temperature);
  }

  async distributions(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    return this.#distributions(await this.#pooled.published(), sequences);
  }

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.#limits);
    const parts = cutBatch(batch, this.microBatchTokens);
    const reports = await this.#pooled.learn(parts, ({ data }, gradients) => ({
      verb: 'microStep',
      data,
      loss,
      temperature,
      gradients,
    }));
    return readReports(batch, parts, reports);
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    return this.#pooled.optimStep(params);
  }

  async reference(): Promise<DistributionScorer> {
    const frozen = await this.#pooled.published();
    return {
      logprobs: (sequences, temperature = 1) => this.#score(frozen, sequences, temperature),
      distributions: (sequences) => this.#distributions(frozen, sequences),
      // the frozen weights are plain memory
      dispose: () => undefined,
    };
  }

  save(): Promise<EngineState> {
    return this.#pooled.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#pooled.load(state);
  }

  dispose(): void {
    this.#pooled.dispose();
  }

  async #score(
    weights: SharedWeights,
    sequences: readonly MaskedSequence[],
    temperature: number,
  ): Promise<Float32Array[]> {
    const tasks = this.#share(sequences).map((part) => ({
      verb: 'logprobs' as const,
      sequences: part,
      temperature,
    }));
    return (await this.#pooled.runAll<'logprobs'>(weights, tasks)).flat();
  }

  async #distributions(
    weights: SharedWeights,
    sequences: readonly MaskedSequence[],
  ): Promise<Float32Array[]> {
    const tasks = this.#share(sequences).map((part) => ({
      verb: 'distributions' as const,
      sequences: part,
    }));
    return (await this.#pooled.runAll<'distributions'>(weights, tasks)).flat();
  }

  /** What is scored at a time. */
  #share(sequences: readonly MaskedSequence[]): (readonly MaskedSequence[])[] {
    checkSequences(sequences, this.#limits);
    return chunks(sequences, sequencesAtOnce(sequences, this.microBatchTokens));
  }
}
