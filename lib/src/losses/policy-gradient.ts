import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { stopGradient } from '../tensor/index.js';
import { countedTokens, keep, weightedSum } from './masked.js';

/** How far the policy may leave the one that sampled before its gradient stops. */
export interface ClipOptions {
  /** The ratio is clipped below at `1 − epsilon` (PPO, arXiv 1707.06347, eq. 7). */
  readonly epsilon: number;
  /** … and above at `1 + epsilonHigh`; larger than `epsilon` it is DAPO's clip-higher (arXiv 2503.14476, eq. 10). */
  readonly epsilonHigh: number;
  /** Upper bound of the ratio whatever the advantage's sign ("dual clip", arXiv 1912.09729); `null` = none. */
  readonly delta: number | null;
}

/** Per-token streams, all of one shape: `[B, T]`, or `[N]` when only the trained tokens are kept. */
export interface PolicyGradientStreams {
  /** log π(token), differentiable. */
  readonly logprobs: Tensor;
  /** log π of the policy that sampled. Absent on the first update after sampling, where the ratio is 1 by definition. */
  readonly oldLogprobs?: Tensor;
  readonly advantages: Tensor;
  /** Share of each token in the loss (see `tokenWeights`); 0 = masked. */
  readonly weights: Tensor;
}

/**
 * PPO's clipped surrogate: `L = Σₜ wₜ · max(−rₜ Aₜ, −clip(rₜ, 1−ε, 1+ε_high) Aₜ)` with `rₜ = exp(logπₜ − logπ_oldₜ)`,
 * after `rₜ ← min(rₜ, δ)` when `delta` is set. With `r = 1` its gradient is REINFORCE's, `−wₜ Aₜ ∇logπₜ`.
 *
 * Source: Schulman et al. 2017, arXiv 1707.06347, eq. 7; the same form as TRL's `GRPOTrainer`.
 */
export function policyGradientLoss(streams: PolicyGradientStreams, clip: ClipOptions): Scalar {
  const { logprobs, advantages, weights } = streams;
  const counted = countedTokens(weights);
  const current = keep(counted, logprobs);
  const old = streams.oldLogprobs === undefined ? stopGradient(current) : keep(counted, streams.oldLogprobs);
  const advantage = keep(counted, advantages);

  const ratio = tf.exp(tf.sub(current, old));
  const capped = clip.delta === null ? ratio : tf.minimum(ratio, clip.delta);
  const clipped = tf.clipByValue(ratio, 1 - clip.epsilon, 1 + clip.epsilonHigh);
  const surrogate = tf.minimum(tf.mul(capped, advantage), tf.mul(clipped, advantage));
  return weightedSum(tf.neg(surrogate), weights);
}
