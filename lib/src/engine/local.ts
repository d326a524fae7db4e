import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { LossSpec } from '../losses/index.js';
import {
  generate,
  type MaskedSequence,
  type Model,
  type Sample,
  type SampleKey,
  type SamplingParams,
  scoreSequences,
  trainableWeights,
} from '../model/index.js';
import { type BatchLimits, checkBatch, checkSequences, limitsOf } from './check-batch.js';
import { frozenPolicy } from './frozen-policy.js';
import { cutBatch, microStep, readReports } from './micro-step.js';
import { Optimizer } from './optimizer.js';
import type {
  Datum,
  Engine,
  EngineState,
  ForwardBackwardResult,
  LogprobScorer,
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
  readonly #optimizer: Optimizer;
  /** Accumulated since the last optimizer step. */
  #gradients = new Map<string, Tensor>();
  #lossIsFinite = true;

  constructor(
    private readonly model: Model,
    private readonly microBatchTokens: number,
  ) {
    this.#limits = limitsOf(model.config);
    this.maxLength = this.#limits.maxLength;
    this.#optimizer = new Optimizer(trainableWeights(model));
  }

  get policyVersion(): number {
    return this.#optimizer.policyVersion;
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

  async forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature = 1,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.#limits);
    const parts = cutBatch(batch, this.microBatchTokens);
    // Read only at the end, so that a back end that works ahead (a GPU) is never waited for between two parts.
    const reports = parts.map(({ data }) => {
      const { gradients, report } = microStep(this.model, data, loss, temperature);
      this.#accumulate(gradients);
      return report;
    });
    const values = await Promise.all(reports.map((report) => report.data<'float32'>()));
    tf.dispose(reports);
    const result = readReports(batch, parts, values);
    this.#lossIsFinite &&= Number.isFinite(result.loss);
    return result;
  }

  optimStep(params: OptimParams): Promise<OptimResult> {
    const gradients = this.#gradients;
    const lossIsFinite = this.#lossIsFinite;
    this.#gradients = new Map();
    this.#lossIsFinite = true;
    return this.#optimizer.step(gradients, lossIsFinite, params);
  }

  async reference(): Promise<LogprobScorer> {
    const { model, dispose } = await frozenPolicy(this.model);
    const { microBatchTokens } = this;
    return {
      logprobs: (sequences, temperature = 1) => scoreModel(model, sequences, temperature, microBatchTokens),
      dispose,
    };
  }

  save(): Promise<EngineState> {
    return this.#optimizer.save();
  }

  async load(state: EngineState): Promise<void> {
    this.#optimizer.load(state);
    this.#forgetGradients();
  }

  dispose(): void {
    this.#optimizer.dispose();
    this.#forgetGradients();
  }

  #accumulate(fresh: ReadonlyMap<string, Tensor>): void {
    for (const [name, gradient] of fresh) {
      const previous = this.#gradients.get(name);
      this.#gradients.set(name, previous === undefined ? gradient : tf.add(previous, gradient));
      if (previous !== undefined) tf.dispose([previous, gradient]);
    }
  }

  #forgetGradients(): void {
    tf.dispose([...this.#gradients.values()]);
    this.#gradients = new Map();
    this.#lossIsFinite = true;
  }
}

/** Log-probabilities in micro-batches of about `tokenBudget` tokens. */
function scoreModel(
  model: Model,
  sequences: readonly MaskedSequence[],
  temperature: number,
  tokenBudget: number,
): Promise<Float32Array[]> {
  const longest = sequences.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  return scoreSequences(model, sequences, {
    temperature,
    microBatch: Math.max(1, Math.floor(tokenBudget / longest)),
  });
}
