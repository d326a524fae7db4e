/** The verbs of a model that says one number: a critic, or a reward model. */
import type { ScalarLossSpec } from '../losses/index.js';
import type { MaskedSequence } from '../model/index.js';
import type { EngineState, OptimParams, OptimResult, WeightedTokens } from './types.js';

/**
 * One training sequence. Every stream is aligned with `tokens`: entry t belongs to the value *after* token t, of which the tokens up
 * to t are all that the model has seen.
 */
export interface ScalarDatum extends WeightedTokens {
  /** `[T]`; what the values were before the first update: for `value` with `cliprangeValue`. */
  readonly oldValues?: Float32Array;
  /** `[T]`; what the values should have been: for `value`. */
  readonly returns?: Float32Array;
}

export interface ScalarForwardBackwardResult {
  /** Value of the loss, summed over the batch. May be non-finite; `optimStep` then refuses to step. */
  readonly loss: number;
  /** The value after each token, `[T]` per datum; 0 where its weight is 0. */
  readonly values: readonly Float32Array[];
}

/** Judges tokens: what a frozen reward model can do. */
export interface ValueScorer {
  /** The value after each token whose mask is not 0, and 0 elsewhere: `[T]` per sequence. */
  values(sequences: readonly MaskedSequence[]): Promise<Float32Array[]>;
  /** The score of each whole sequence: the value after its last token. */
  scores(sequences: readonly Int32Array[]): Promise<number[]>;
}

export interface ScalarEngine extends ValueScorer {
  /** Longest sequence it can hold. */
  readonly maxLength: number;
  /**
   * Adds the gradient of `loss` on `batch` to the accumulated gradient. Two calls before one `optimStep` give the gradient of
   * both batches together. For `bradley_terry` the data 2n and 2n + 1 are a pair, the preferred one first.
   */
  forwardBackward(batch: readonly ScalarDatum[], loss: ScalarLossSpec): Promise<ScalarForwardBackwardResult>;
  /** One optimizer step with the accumulated gradient, which is then cleared. */
  optimStep(params: OptimParams): Promise<OptimResult>;
  save(): Promise<EngineState>;
  /** Takes over a saved state. Throws, changing nothing, when names or shapes differ. */
  load(state: EngineState): Promise<void>;
  /** Frees what the engine added, not the model. The engine must not be used afterwards. */
  dispose(): void;
}
