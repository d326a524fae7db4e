/**
 * Masking by selection. A masked position may hold anything (NaN, Infinity, a log-ratio of 200): multiplying it by a
 * zero mask would still give NaN, in the value or in the gradient, so it is replaced *before* any function sees it.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';

/** Where a token counts: `[…]` bool, true where its weight is not zero. */
export function countedTokens(weights: Tensor): Tensor {
  return tf.notEqual(weights, 0);
}

/** `x` where `mask` holds, 0 elsewhere; the gradient is exactly 0 elsewhere. All shapes equal. */
export function keep(mask: Tensor, x: Tensor): Tensor {
  return tf.where(mask, x, tf.zerosLike(x));
}

/** The rows of `x` `[N, …]` where `mask` `[N]` holds, zeros elsewhere; the gradient is exactly 0 elsewhere. */
export function keepRows(mask: Tensor, x: Tensor): Tensor {
  const rows = tf.reshape(mask, [-1, ...new Array<number>(x.rank - 1).fill(1)]);
  return tf.where(rows, x, tf.zerosLike(x));
}

/** `Σ weightₜ · xₜ` over the tokens that count; what stands at the others changes neither value nor gradient. */
export function weightedSum(x: Tensor, weights: Tensor): Scalar {
  return tf.sum(tf.mul(keep(countedTokens(weights), x), weights)) as Scalar;
}
