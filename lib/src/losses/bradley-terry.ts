import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { logSigmoid } from './log-sigmoid.js';
import { countedTokens, keep, weightedSum } from './masked.js';

/** A reward model's scores of both replies of each pair: `[B]` each. */
export interface RewardPairs {
  readonly chosenRewards: Tensor;
  readonly rejectedRewards: Tensor;
  /** Share of each pair in the loss, 1/B for their mean; 0 = masked. */
  readonly weights: Tensor;
}

/**
 * A reward model's loss: `−log σ(r_chosen − r_rejected)`, the negative log-likelihood of the labels under Bradley and
 * Terry's model of choice (1952; InstructGPT, arXiv 2203.02155, eq. 1).
 *
 * Adding a constant to all rewards changes nothing, so they may drift. `centerRewardsCoefficient` c adds
 * `c (r_chosen + r_rejected)²`, which holds them around 0 (arXiv 2312.09244, eq. 2). TRL: `null` = no centering; 0.01 is usual.
 */
export function bradleyTerryLoss(pairs: RewardPairs, centerRewardsCoefficient: number | null): Scalar {
  const counted = countedTokens(pairs.weights);
  const chosen = keep(counted, pairs.chosenRewards);
  const rejected = keep(counted, pairs.rejectedRewards);
  const choice = tf.neg(logSigmoid(tf.sub(chosen, rejected)));
  if (centerRewardsCoefficient === null) return weightedSum(choice, pairs.weights);
  const drift = tf.mul(tf.square(tf.add(chosen, rejected)), centerRewardsCoefficient);
  return weightedSum(tf.add(choice, drift), pairs.weights);
}
