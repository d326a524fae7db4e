import type { LossSpec } from '../losses/index.js';
import {
  generate,
  type MaskedSequence,
  type Model,
  type Sample,
  type SampleKey,
  type SamplingParams,
  scoreDistributions,
  scoreSequences,
  trainableWeights,
} from '../model/index.js';
import { type BatchLimits, checkBatch, checkSequences, limitsOf } from './check-batch.js';
import { frozenPolicy } from './frozen-policy.js';
import { sequencesAtOnce } from './micro-batches.js';
import { cutBatch, microStep, readReports } from './micro-step.js';
import { TrainedWeights } from './trained-weights.js';
import type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  OptimParams,
  OptimResult,
} from './types.js';

export interface EngineOptions {
  /**
   * Tokens, padding included, that go through the model at once; bounds the memory of the activations and changes results by no
   * more than the order of additions. 1024: enough rows to keep the kernels busy, and enough parts for several threads.
   */
  readonly microBatchTokens?: number;
}

export const defaultMicroBatchTokens = 1024;

/**
 * The engine in this thread: trains `model` in place with the active tfjs back end, or its adapter alone where it has one.
 * The caller owns the model; `dispose` frees only what the engine added (gradients and optimizer moments).
 */
export function createLocalEngine(
  model: Model,
  { microBatchTokens = defaultMicroBatchTokens }: EngineOptions = {},
): Engine {
  return new LocalEngine(model, microBatchTokens);
}

class LocalEngine implements Engine {
  readonly maxLength: number;
  readonly #limits: BatchLimits;
  readonly #trained: TrainedWeights;

  constructor(
    private readonly model: Model,
    private readonly microBatchTokens: number,
  ) {
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
    this.#trained = new TrainedWeights(trainableWeights(model));
  }

  get policyVersion(): number {
    return this.#trained.policyVersion;
  }

  sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]> {
    return generate(this.model, prompts, params, keys);
  }

  async logprobs(sequences: readonly MaskedSequence[], temperature = 1): Promise<Float32Array[]> {
    checkSequences(sequences, this.#limits);
    return scoreModel(this.model, sequences, temperature, this.microBatchTokens);
  }

  async distributions(sequences: readonly MaskedSequence[]): Promise<Float32Array[]> {
    checkSequences(sequences, this.#limits);
    return scoreDistributions(this.model, sequences, sequencesAtOnce(sequences, this.microBatchTokens));
  }

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.#limits);
    const parts = cutBatch(batch, this.microBatchTokens);
    const reports = await this.#trained.learn(parts, ({ data }) =>
      microStep(this.model, data, loss, temperature),
    );
    return readReports(batch, parts, reports);
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    return this.#trained.optimStep(params);
  }

  async reference(): Promise<DistributionScorer> {
    const { model, dispose } = await frozenPolicy(this.model);
    const { microBatchTokens } = this;
    return {
      logprobs: (sequences, temperature = 1) => scoreModel(model, sequences, temperature, microBatchTokens),
      distributions: (sequences) =>
        scoreDistributions(model, sequences, sequencesAtOnce(sequences, microBatchTokens)),
      dispose,
    };
  }

  save(): Promise<EngineState> {
    return this.#trained.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#trained.load(state);
  }

  dispose(): void {
    this.#trained.dispose();
  }
}

/** Log-probabilities in micro-batches of about `tokenBudget` tokens. */
function scoreModel(
  model: Model,
  sequences: readonly MaskedSequence[],
  temperature: number,
  tokenBudget: number,
): Promise<Float32Array[]> {
  return scoreSequences(model, sequences, {
    temperature,
    microBatch: sequencesAtOnce(sequences, tokenBudget),
  });
}
