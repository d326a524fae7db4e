import * as tf from '@tensorflow/tfjs-core';
import type { Scalar } from '@tensorflow/tfjs-core';
import { countedTokens, keep, weightedSum } from './masked.js';
import type { PolicyGradientStreams } from './policy-gradient.js';
import { stopGradient } from '../tensor/index.js';
import { probabilityRatios } from './probability-ratio.js';

/**
 * CISPO: `L = −Σₜ wₜ · sg(min(rₜ, maxRatio)) · Aₜ · log πₜ`, where `sg` lets no gradient through: the importance weight is
 * clipped, not the surrogate, so no token ever loses its gradient, which is exactly `−wₜ · min(rₜ, maxRatio) · Aₜ`.
 *
 * @param streams `[N]` each
 * @param maxRatio the cap itself, not its distance from 1: TRL's `epsilon_high` under `loss_type='cispo'`, usually 5
 *
 * Source: MiniMax-M1, arXiv 2506.13585, eq. 4–5; the one-sided cap is ScaleRL's, arXiv 2510.13786.
 */
export function cispoLoss(streams: PolicyGradientStreams, maxRatio: number): Scalar {
  const { logprobs, advantages, weights } = streams;
  const counted = countedTokens(weights);
  const importance = stopGradient(tf.minimum(probabilityRatios(streams), maxRatio));
  const push = tf.mul(importance, keep(counted, advantages));
  return weightedSum(tf.neg(tf.mul(push, keep(counted, logprobs))), weights);
}
