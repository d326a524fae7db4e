/** The other place for a KL penalty: in the reward, before advantages are computed. */
import { type KLEstimator, k3OfToken } from './kl.js';

export interface KLRewardOptions {
  /** β, the price of one nat. TRL: 0.05. */
  readonly klCoef: number;
  /** TRL: `k1`, the only one whose mean has the right gradient when it stands in the reward. */
  readonly klEstimator: KLEstimator;
}

/**
 * RLHF's per-token rewards `[T]`: `−klCoef · KLₜ` at each token of the mask, plus the score of the whole reply at its last one,
 * and 0 elsewhere. Unlike `klPenalty` in a loss, it reaches a token through all that follows it. A reply without any token
 * gets zeros: its score teaches nothing.
 *
 * @param streams `[T]` each; mask 1 = sampled by the policy
 * @param score the reward model's, of the whole reply
 *
 * Source: Ouyang et al. 2022, arXiv 2203.02155, eq. 2; TRL's `PPOTrainer`.
 */
export function klShapedRewards(
  {
    logprobs,
    refLogprobs,
    mask,
  }: { readonly logprobs: Float32Array; readonly refLogprobs: Float32Array; readonly mask: Uint8Array },
  score: number,
  { klCoef, klEstimator }: KLRewardOptions,
): Float32Array {
  const rewards = Float32Array.from(mask, (on, t) =>
    on === 1 ? -klCoef * klOfToken(logprobs[t] as number, refLogprobs[t] as number, klEstimator) : 0,
  );
  const last = mask.lastIndexOf(1);
  if (last >= 0) rewards[last] = (rewards[last] as number) + score;
  return rewards;
}

/** The estimate of one sampled token, in nats: see `klPenalty`. */
export function klOfToken(logprob: number, refLogprob: number, estimator: KLEstimator): number {
  const d = refLogprob - logprob;
  return { k1: -d, k2: d ** 2 / 2, k3: k3OfToken(logprob, refLogprob).value }[estimator];
}
