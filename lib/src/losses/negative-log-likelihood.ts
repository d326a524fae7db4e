import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { weightedSum } from './masked.js';

/**
 * Supervised fine-tuning: `L = −Σₜ wₜ · log π(tokenₜ)`, in nats. `logprobs` and `weights` share one shape, `[B, T]` or `[N]`.
 * With `wₜ = 1 / (trained tokens of the batch)` it is the mean cross-entropy.
 */
export function negativeLogLikelihood(logprobs: Tensor, weights: Tensor): Scalar {
  return tf.neg(weightedSum(logprobs, weights)) as Scalar;
}
