import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { logSigmoid } from './log-sigmoid.js';
import { countedTokens, keep, weightedSum } from './masked.js';

/** Which function of the margin is minimised; TRL's names. */
export type DPOLossType = 'sigmoid' | 'ipo' | 'hinge';

export interface DPOLossOptions {
  /** How dear it is to leave the reference: large = stay close. TRL: 0.1. */
  readonly beta: number;
  readonly lossType: DPOLossType;
  /** Share of pairs believed to be labelled the wrong way round; only `sigmoid` reads it (conservative DPO). TRL: 0. */
  readonly labelSmoothing: number;
}

/** Log-probabilities of both replies of each pair: `[B]` each, sums over the reply's tokens (means for `ipo`; see `sequenceSums`). */
export interface PreferenceStreams {
  /** log π of the preferred reply, differentiable. */
  readonly chosenLogprobs: Tensor;
  /** log π of the other reply, differentiable. */
  readonly rejectedLogprobs: Tensor;
  readonly refChosenLogprobs: Tensor;
  readonly refRejectedLogprobs: Tensor;
  /** Share of each pair in the loss, 1/B for their mean; 0 = masked. */
  readonly weights: Tensor;
}

/**
 * Direct preference optimization. With the margin `Δ = (log π − log π_ref)(chosen) − (log π − log π_ref)(rejected)`:
 *
 * | lossType | loss of a pair | source |
 * |---|---|---|
 * | `sigmoid` | `−(1 − s) log σ(βΔ) − s log σ(−βΔ)`, `s` = labelSmoothing | Rafailov et al., arXiv 2305.18290, eq. 7 |
 * | `ipo` | `(Δ − 1/(2β))²`: a margin to reach, not to grow without end | Azar et al., arXiv 2310.12036, eq. 17 |
 * | `hinge` | `max(0, 1 − βΔ)` | SLiC, arXiv 2305.10425 |
 *
 * At the start, where π = π_ref, `sigmoid` is ln 2. Only the margin counts, so both log-probabilities may fall together.
 */
export function dpoLoss(pairs: PreferenceStreams, options: DPOLossOptions): Scalar {
  const counted = countedTokens(pairs.weights);
  const margin = tf.sub(
    tf.sub(keep(counted, pairs.chosenLogprobs), keep(counted, pairs.refChosenLogprobs)),
    tf.sub(keep(counted, pairs.rejectedLogprobs), keep(counted, pairs.refRejectedLogprobs)),
  );
  return weightedSum(pairLosses(margin, options), pairs.weights);
}

function pairLosses(margin: Tensor, { beta, lossType, labelSmoothing }: DPOLossOptions): Tensor {
  if (lossType === 'ipo') return tf.square(tf.sub(margin, 1 / (2 * beta)));
  const logit = tf.mul(margin, beta);
  if (lossType === 'hinge') return tf.relu(tf.sub(1, logit));
  return tf.neg(
    tf.add(tf.mul(logSigmoid(logit), 1 - labelSmoothing), tf.mul(logSigmoid(tf.neg(logit)), labelSmoothing)),
  );
}
