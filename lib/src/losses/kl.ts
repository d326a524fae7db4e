/**
 * Estimators of KL(π ‖ π_ref) from the log-probabilities of tokens sampled from π (J. Schulman, "Approximating KL
 * divergence", 2020). With `d = logπ_ref − logπ`:
 *
 * | name | value | bias | can be negative |
 * |---|---|---|---|
 * | k1 | `−d` | none | yes |
 * | k2 | `d² / 2` | small | no |
 * | k3 | `e^d − d − 1` | none | no |
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { countedTokens, keep } from './masked.js';

export type KLEstimator = 'k1' | 'k2' | 'k3';

/** `d` is held in ±20 and a k3 value below 10, so that one absurd token cannot overflow or dominate (verl's bounds). */
export const KL_LOG_RATIO_BOUND = 20;
export const KL_VALUE_BOUND = 10;

/**
 * The estimate of each token, in nats: `[…]` like its inputs, 0 where `weights` is 0. Differentiable in `logprobs`.
 *
 * k3 is what GRPO adds to its loss (DeepSeekMath, arXiv 2402.03300, eq. 4). A clamped token has no gradient; how many
 * there are is reported as `kl_clamped_frac`.
 */
export function klPenalty(
  streams: { readonly logprobs: Tensor; readonly refLogprobs: Tensor; readonly weights: Tensor },
  estimator: KLEstimator = 'k3',
): Tensor {
  const counted = countedTokens(streams.weights);
  const d = tf.sub(keep(counted, streams.refLogprobs), keep(counted, streams.logprobs));
  if (estimator === 'k1') return tf.neg(d);
  if (estimator === 'k2') return tf.mul(tf.square(d), 0.5);
  const bounded = tf.clipByValue(d, -KL_LOG_RATIO_BOUND, KL_LOG_RATIO_BOUND);
  return tf.minimum(tf.sub(tf.sub(tf.exp(bounded), bounded), 1), KL_VALUE_BOUND);
}

/** Whether k3 of this pair was clamped; the plain-number side of `klPenalty`, for metrics. */
export function k3OfToken(
  logprob: number,
  refLogprob: number,
): { readonly value: number; readonly clamped: boolean } {
  const d = refLogprob - logprob;
  const bounded = Math.max(-KL_LOG_RATIO_BOUND, Math.min(KL_LOG_RATIO_BOUND, d));
  const value = Math.exp(bounded) - bounded - 1;
  return { value: Math.min(value, KL_VALUE_BOUND), clamped: bounded !== d || value > KL_VALUE_BOUND };
}
