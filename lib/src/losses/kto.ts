import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { mean } from './advantages.js';
import { countedTokens, keep, weightedSum } from './masked.js';

export interface KTOLossOptions {
  /** How dear it is to leave the reference. TRL: 0.1. */
  readonly beta: number;
  /** λ_D. With n_D good and n_U bad replies the paper keeps `λ_D n_D / (λ_U n_U)` between 1 and 4/3. TRL: 1. */
  readonly desirableWeight: number;
  /** λ_U. TRL: 1. */
  readonly undesirableWeight: number;
  /** z₀, see `ktoReferencePoint`: one number for the whole update, before it is cut into micro-batches. */
  readonly referencePoint: number;
}

/** Replies, each labelled on its own: `[B]` each, log-probabilities summed over the reply's tokens. */
export interface LabelledStreams {
  /** log π of the reply, differentiable. */
  readonly logprobs: Tensor;
  readonly refLogprobs: Tensor;
  /** 1 = a good reply, 0 = a bad one. */
  readonly labels: Tensor;
  /** Share of each reply in the loss, 1/B for their mean; 0 = masked. */
  readonly weights: Tensor;
}

/**
 * Kahneman–Tversky optimization, for labels without pairs: with `r = log π − log π_ref`, the loss of a good reply is
 * `λ_D (1 − σ(β(r − z₀)))`, of a bad one `λ_U (1 − σ(β(z₀ − r)))`. It saturates both ways: hopeless and settled replies
 * hardly pull.
 *
 * Source: Ethayarajh et al. 2024, arXiv 2402.01306, section 4; the same form as TRL's `KTOTrainer`.
 */
export function ktoLoss(replies: LabelledStreams, options: KTOLossOptions): Scalar {
  const { beta, desirableWeight, undesirableWeight, referencePoint } = options;
  const counted = countedTokens(replies.weights);
  const logRatio = tf.sub(keep(counted, replies.logprobs), keep(counted, replies.refLogprobs));
  const desirable = tf.equal(keep(counted, replies.labels), 1);
  const gain = tf.mul(tf.sub(logRatio, referencePoint), beta);
  const shortfall = (x: Tensor): Tensor => tf.sub(1, tf.sigmoid(x));
  const losses = tf.where(
    desirable,
    tf.mul(shortfall(gain), desirableWeight),
    tf.mul(shortfall(tf.neg(gain)), undesirableWeight),
  );
  return weightedSum(losses, replies.weights);
}

/**
 * KTO's reference point `z₀ = max(0, mean(log π − log π_ref))`, an estimate of KL(π ‖ π_ref) that no gradient flows
 * through (arXiv 2402.01306, section 4).
 *
 * @param logprobs `[B]` of *mismatched* replies: prompt i with the reply of prompt i + 1, so B ≥ 2. Matched ones would be
 *   compared with themselves.
 * @param refLogprobs `[B]` of the same replies
 */
export function ktoReferencePoint(logprobs: readonly number[], refLogprobs: readonly number[]): number {
  return Math.max(0, mean(logprobs.map((logprob, i) => logprob - (refLogprobs[i] as number))));
}
