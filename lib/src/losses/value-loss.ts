import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { countedTokens, keep, weightedSum } from './masked.js';

/** What a critic said and should have said of each step: `[N]` each. */
export interface ValueStreams {
  /** V(sₜ) now, differentiable. */
  readonly values: Tensor;
  /** V(sₜ) when the episode was sampled. */
  readonly oldValues: Tensor;
  /** What really followed: `returns` of `gae`. */
  readonly returns: Tensor;
  /** Share of each step in the loss; 0 = masked. */
  readonly weights: Tensor;
}

/**
 * The critic's loss: `L = ½ Σₜ wₜ · max((Vₜ − Gₜ)², (clip(Vₜ, V_oldₜ ± cliprangeValue) − Gₜ)²)`. The larger of both errors
 * counts, so a value that already moved `cliprangeValue` towards its return waits for new samples.
 *
 * @param cliprangeValue TRL: 0.2; rewards on another scale need another range. `null` = plain squared error.
 *
 * Source: the PPO code of OpenAI Baselines (detail 9 of "The 37 implementation details of PPO", 2022); TRL's `PPOTrainer`.
 */
export function valueLoss(streams: ValueStreams, cliprangeValue: number | null): Scalar {
  const { weights } = streams;
  const counted = countedTokens(weights);
  const values = keep(counted, streams.values);
  const oldValues = keep(counted, streams.oldValues);
  const returns = keep(counted, streams.returns);
  const errors = tf.square(tf.sub(values, returns));
  if (cliprangeValue === null) return tf.mul(weightedSum(errors, weights), 0.5);
  const moved = tf.clipByValue(tf.sub(values, oldValues), -cliprangeValue, cliprangeValue);
  const clippedErrors = tf.square(tf.sub(tf.add(oldValues, moved), returns));
  return tf.mul(weightedSum(tf.maximum(errors, clippedErrors), weights), 0.5);
}
