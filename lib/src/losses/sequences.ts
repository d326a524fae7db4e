/** Tokens of several sequences in one `[N]` stream, and what a whole sequence adds up to. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { countedTokens, keep } from './masked.js';

/** Which sequence each token of an `[N]` stream belongs to. */
export interface Sequences {
  /** `[N]` int32 in [0, count). */
  readonly ids: Tensor;
  /** B, the number of sequences. */
  readonly count: number;
}

/**
 * `Σ xₜ` over the counted tokens of each sequence: `[B]` from `x` and `weights` `[N]`; of log-probabilities it is the
 * log-probability of the sequence. 0 where no token counts.
 */
export function sequenceSums(x: Tensor, weights: Tensor, sequences: Sequences): Tensor {
  return sumsOf(keep(countedTokens(weights), x), sequences);
}

/** The mean of `x` over the counted tokens of each sequence: `[B]` from `x` and `weights` `[N]`. 0 where no token counts. */
export function sequenceMeans(x: Tensor, weights: Tensor, sequences: Sequences): Tensor {
  const lengths = sumsOf(tf.cast(countedTokens(weights), 'float32'), sequences);
  return tf.div(sequenceSums(x, weights, sequences), tf.maximum(lengths, 1));
}

/** Each sequence's value at each of its tokens: `[N]` from `[B]`. */
export function atEachToken(values: Tensor, sequences: Sequences): Tensor {
  return tf.reshape(tf.matMul(tf.reshape(values, [1, -1]), membership(sequences)), [-1]);
}

function sumsOf(x: Tensor, sequences: Sequences): Tensor {
  return tf.reshape(tf.matMul(membership(sequences), tf.reshape(x, [-1, 1])), [-1]);
}

/** `[B, N]`, 1 where the token belongs to the sequence. As matrix products, sums have a gradient on every back end; gathers do not. */
function membership({ ids, count }: Sequences): tf.Tensor2D {
  const rows = tf.expandDims(tf.range(0, count, 1, 'int32'), 1);
  return tf.cast(tf.equal(rows, tf.expandDims(ids, 0)), 'float32') as tf.Tensor2D;
}
