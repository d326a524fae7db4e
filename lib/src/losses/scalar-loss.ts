import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { bradleyTerryLoss, type RewardPairs } from './bradley-terry.js';
import { required } from './required.js';
import { valueLoss } from './value-loss.js';

/** A loss of a model with a scalar head, as plain data. */
export type ScalarLossSpec =
  /** A critic's: see `valueLoss`. Reads `returns`, and `oldValues` unless `cliprangeValue` is `null`. */
  | { readonly name: 'value'; readonly cliprangeValue: number | null }
  /** A reward model's: see `bradleyTerryLoss`. Each pair is two numbers in a row, the preferred one first. */
  | { readonly name: 'bradley_terry'; readonly centerRewardsCoefficient: number | null };

/** What a loss may read of each number that counts: `[N]` each. */
export interface ScalarStreams {
  readonly values: Tensor;
  readonly weights: Tensor;
  readonly oldValues?: Tensor;
  readonly returns?: Tensor;
}

/** The loss of `spec`: a sum, so that those of two parts of a batch add up to the loss of the whole. Throws when a stream it needs is missing. */
export function scalarLossOf(spec: ScalarLossSpec, streams: ScalarStreams): Scalar {
  if (spec.name === 'bradley_terry') return bradleyTerryLoss(pairsOf(streams), spec.centerRewardsCoefficient);
  const { values, weights } = streams;
  const returns = required(streams.returns, 'returns', spec.name);
  const oldValues =
    spec.cliprangeValue === null
      ? values
      : required(streams.oldValues, 'oldValues', `${spec.name} with cliprangeValue`);
  return valueLoss({ values, oldValues, returns, weights }, spec.cliprangeValue);
}

function pairsOf({ values, weights }: ScalarStreams): RewardPairs {
  const [chosenRewards, rejectedRewards] = tf.split(tf.reshape(values, [-1, 2]), 2, 1) as [Tensor, Tensor];
  const [share] = tf.split(tf.reshape(weights, [-1, 2]), 2, 1) as [Tensor];
  return { chosenRewards, rejectedRewards, weights: share };
}
