import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { countedTokens, keep, weightedSum } from './masked.js';
import { probabilityRatios, type RatioStreams } from './probability-ratio.js';

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
export interface PolicyGradientStreams extends RatioStreams {
  readonly advantages: Tensor;
}

/**
 * PPO's clipped surrogate: `L = Σₜ wₜ · max(−rₜ Aₜ, −clip(rₜ, 1−ε, 1+ε_high) Aₜ)` with `rₜ = exp(logπₜ − logπ_oldₜ)`,
 * after `rₜ ← min(rₜ, δ)` when `delta` is set. With `r = 1` its gradient is REINFORCE's, `−wₜ Aₜ ∇logπₜ`.
 *
 * Source: Schulman et al. 2017, arXiv 1707.06347, eq. 7; the same form as TRL's `GRPOTrainer`.
 */
export function policyGradientLoss(streams: PolicyGradientStreams, clip: ClipOptions): Scalar {
  const { weights } = streams;
  const advantages = keep(countedTokens(weights), streams.advantages);
  const ratio = probabilityRatios(streams);
  const capped = clip.delta === null ? ratio : tf.minimum(ratio, clip.delta);
  const clipped = tf.clipByValue(ratio, 1 - clip.epsilon, 1 + clip.epsilonHigh);
  const surrogate = tf.minimum(tf.mul(capped, advantages), tf.mul(clipped, advantages));
  return weightedSum(tf.neg(surrogate), weights);
}
