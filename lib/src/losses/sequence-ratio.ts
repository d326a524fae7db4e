import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { type ClipOptions, policyGradientLoss, type PolicyGradientStreams } from './policy-gradient.js';
import { atEachToken, sequenceMeans, type Sequences } from './sequences.js';

/**
 * GSPO: the clipped surrogate with one ratio for a whole sequence, `s = (π(y) / π_old(y))^(1/|y|)`, the geometric mean of
 * its token ratios. Rewards judge sequences, so the correction is made for sequences, and one odd token cannot be clipped
 * on its own. TRL: `importance_sampling_level='sequence'`.
 *
 * It is `policyGradientLoss` after every log-probability was replaced by its sequence's mean. `s` stays much nearer to 1
 * than a token's ratio; the paper clips it to [1 − 3e-4, 1 + 4e-4].
 *
 * @param streams `[N]` each, N tokens of `sequences.count` sequences
 *
 * Source: Zheng et al. 2025, arXiv 2507.18071, eq. 5–7.
 */
export function sequenceRatioLoss(
  streams: PolicyGradientStreams,
  sequences: Sequences,
  clip: ClipOptions,
): Scalar {
  const { logprobs, oldLogprobs, weights } = streams;
  const shared = (x: Tensor): Tensor => atEachToken(sequenceMeans(x, weights, sequences), sequences);
  const old = oldLogprobs === undefined ? {} : { oldLogprobs: shared(oldLogprobs) };
  return policyGradientLoss({ ...streams, logprobs: shared(logprobs), ...old }, clip);
}
