import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { stopGradient } from '../tensor/index.js';
import { countedTokens, keep } from './masked.js';

/** Log-probabilities of the same tokens under the policy that learns and the one that sampled: `[N]` each. */
export interface RatioStreams {
  /** log π(token), differentiable. */
  readonly logprobs: Tensor;
  /** log π of the policy that sampled. Absent on the first update after sampling, where the ratio is 1 by definition. */
  readonly oldLogprobs?: Tensor;
  /** Share of each token in the loss (see `tokenWeights`); 0 = masked. */
  readonly weights: Tensor;
}

/** `rₜ = exp(log πₜ − log π_oldₜ)`, the importance ratio of each token: `[N]`, 1 where the weight is 0. */
export function probabilityRatios({ logprobs, oldLogprobs, weights }: RatioStreams): Tensor {
  const counted = countedTokens(weights);
  const current = keep(counted, logprobs);
  const old = oldLogprobs === undefined ? stopGradient(current) : keep(counted, oldLogprobs);
  return tf.exp(tf.sub(current, old));
}
