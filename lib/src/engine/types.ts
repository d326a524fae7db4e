/**
 * The verbs every trainer uses. Token ids and typed arrays go in, numbers come out: nothing here knows a tensor, so that a
 * remote engine (Tinker's protocol) can be a second implementation of the same interface.
 */
import type { LossSpec } from '../losses/index.js';
import type { AdjustLrFn } from '../tensor/index.js';
import type { MaskedSequence, Sample, SampleKey, SamplingParams } from '../model/index.js';

/** A sequence and how much each of its tokens counts. */
export interface WeightedTokens {
  /** `[T]` */
  readonly tokens: Int32Array;
  /** `[T]`; 0 = not at all. */
  readonly weights: Float32Array;
}

/** One training sequence. Every stream is aligned with `tokens`: entry t belongs to token t as a *target*. */
export interface Datum extends WeightedTokens {
  /** Prompt, replies and environment messages, in order: `[T]`, T ≥ 2. */
  readonly tokens: Int32Array;
  /**
   * `[T]`; share of each token in the loss, 0 = not trained (see `tokenWeights`). Under `cross_entropy` a negative one makes its token
   * less likely (see `forwardBackwardCustom`). The first entry must be 0: nothing predicts it.
   */
  readonly weights: Float32Array;
  /** `[T]`; needed by every loss of a policy. */
  readonly advantages?: Float32Array;
  /** `[T]`; log-probabilities when the tokens were sampled. Absent = the policy is still the one that sampled. */
  readonly oldLogprobs?: Float32Array;
  /** `[T]`; log-probabilities under the reference; needed when `beta` > 0. */
  readonly refLogprobs?: Float32Array;
  /**
   * `[n, V]`, row by row; a teacher's `distributions` of the n tokens whose weight is not 0, in order; needed by `generalized_jsd`.
   *
   * Numbers, and all of them, though a teacher could be given to the engine instead: so any teacher will do, in this thread or another or
   * on another machine, and a small vocabulary is cheap (6 MB for 1,000 tokens of 1,536). Cut to its k likeliest tokens a distribution of
   * a large one would fit, too, but no divergence of it would be exact.
   */
  readonly teacherLogprobs?: Float32Array;
}

export interface ForwardBackwardResult {
  /** Value of the loss, summed over the batch. May be non-finite; `optimStep` then refuses to step. */
  readonly loss: number;
  /** Log-probability of each token, `[T]` per datum; 0 where its weight is 0. */
  readonly logprobs: readonly Float32Array[];
  /**
   * Entropy of the distribution each token was predicted from, nats, `[T]` per datum; 0 where its weight is 0. `undefined` where the
   * engine cannot tell: a server tells the log-probabilities of tokens, not what they were drawn from.
   */
  readonly entropies: readonly Float32Array[] | undefined;
  /** 1 where the token was the most probable one, `[T]` per datum; 0 elsewhere and where its weight is 0. `undefined` as `entropies`. */
  readonly hits: readonly Uint8Array[] | undefined;
}

/**
 * `adamw`, or `muon`: Muon for the matrices inside the layers, AdamW for embeddings, head, norms and biases, whose rows or
 * entries stand for themselves.
 */
export type OptimName = 'adamw' | 'muon';

/** Hyper-parameters of one optimizer step; everything but the learning rate has a default. */
export interface OptimParams {
  readonly learningRate: number;
  /** `adamw`. A run keeps the one it began with: the moments of the other would be missing. */
  readonly optim?: OptimName;
  /** How Muon's steps depend on a matrix's shape. `match_rms_adamw`, for then one learning rate fits both optimizers. */
  readonly adjustLrFn?: AdjustLrFn;
  /** 0.9 */
  readonly adamBeta1?: number;
  /** 0.95, as in Tinker and OpenRLHF: batches are small, so old second moments are forgotten sooner. */
  readonly adamBeta2?: number;
  /** 1e-8 */
  readonly adamEpsilon?: number;
  /** Decoupled (arXiv 1711.05101); 0. */
  readonly weightDecay?: number;
  /** The gradient is scaled down to this global norm when it is larger; 1. */
  readonly maxGradNorm?: number;
}

export interface OptimResult {
  /** Global norm before clipping; may be non-finite. `undefined` where a server does not tell. */
  readonly gradNorm: number | undefined;
  /** False when loss or gradient was non-finite: weights and optimizer are unchanged, bit for bit. */
  readonly stepped: boolean;
}

/** Scores tokens: what a frozen reference or a teacher can do. */
export interface LogprobScorer {
  /**
   * log π(tokenₜ | tokens before it) where the mask is not 0, and 0 elsewhere: `[T]` per sequence.
   * @param temperature the distribution's; default 1.
   */
  logprobs(sequences: readonly MaskedSequence[], temperature?: number): Promise<Float32Array[]>;
  /** Frees its memory. The scorer must not be used afterwards. */
  dispose(): void;
}

/** Knows a whole distribution over the vocabulary: what a teacher of every token can do. */
export interface DistributionScorer extends LogprobScorer {
  /**
   * log π(v | tokens before it) of every token v of the vocabulary, at temperature 1, where the mask is not 0: `[n, V]` per sequence, row by
   * row, with n the tokens its mask chooses. Temperatures are applied by whoever compares.
   */
  distributions(sequences: readonly MaskedSequence[]): Promise<Float32Array[]>;
}

/** A named array with its shape, as it lies in a checkpoint. */
export interface NamedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/**
 * All that a run needs to go on bit-identically: the trained weights, the optimizer's moments, the number of steps. With an
 * adapter that is the adapter alone, and the run goes on with the same base weights.
 */
export interface EngineState {
  readonly policyVersion: number;
  /** Where a server keeps weights and moments, e.g. `tinker://…`; the maps are empty then. */
  readonly path?: string;
  readonly weights: ReadonlyMap<string, NamedArray>;
  /** Means of gradients; none before the first step. */
  readonly firstMoments: ReadonlyMap<string, NamedArray>;
  /** Means of squared gradients, of the weights that AdamW trains. */
  readonly secondMoments: ReadonlyMap<string, NamedArray>;
}

export interface Engine extends DistributionScorer {
  /** Optimizer steps taken. Samples carry it, so that stale ones are recognised. */
  readonly policyVersion: number;
  /** Longest sequence it can hold, prompt and reply together. */
  readonly maxLength: number;
  /** One reply per prompt; `keys[i]` fixes the randomness of reply i. Prompts may have different lengths. */
  sample(
    prompts: readonly Int32Array[],
    params: SamplingParams,
    keys: readonly SampleKey[],
  ): Promise<Sample[]>;
  /**
   * Adds the gradient of `loss` on `batch` to the accumulated gradient, at sampling temperature `temperature` (default 1).
   * Two calls before one `optimStep` give the gradient of both batches together.
   */
  forwardBackward(
    batch: readonly Datum[],
    loss: LossSpec,
    temperature?: number,
  ): Promise<ForwardBackwardResult>;
  /** One optimizer step with the accumulated gradient, which is then cleared. */
  optimStep(params: OptimParams): Promise<OptimResult>;
  /** The present policy, frozen, to be used as reference. It shares the weights under an adapter, which must outlive it. */
  reference(): Promise<DistributionScorer>;
  save(): Promise<EngineState>;
  /** Takes over a saved state. Throws, changing nothing, when names or shapes differ. */
  load(state: EngineState): Promise<void>;
}
