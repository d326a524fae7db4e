/** From sampled groups to what the engine trains on. */
import type { Task } from '../envs/types.js';
import { tokenWeights } from '../losses/index.js';
import { isTruncated } from '../rollout/index.js';
import type { GRPOConfig } from './grpo-config.js';
import type { ScoredGroup } from './grpo-groups.js';
import { requireFresh, type SampledBatch } from './sampled-batch.js';

/**
 * One datum for each trajectory: the episode's advantage on every token the policy sampled, weight 0 on all others and, with
 * `maskTruncatedCompletions`, on episodes that were cut.
 *
 * @throws StaleSampleError unless all samples are from policy version `policyVersion`.
 */
export function grpoBatch<T extends Task>(
  groups: readonly ScoredGroup<T>[],
  config: GRPOConfig,
  policyVersion: number,
): SampledBatch {
  const parts = groups.flatMap(({ episodes, advantages }) =>
    episodes.flatMap((episode, index) => {
      requireFresh(episode, policyVersion);
      const masked = config.maskTruncatedCompletions && isTruncated(episode);
      return episode.trajectories.map((trajectory) => ({
        trajectory,
        advantage: advantages[index] as number,
        masked,
      }));
    }),
  );
  const masks = parts.map(({ trajectory: { actionMask }, masked }) =>
    masked ? new Uint8Array(actionMask.length) : actionMask,
  );
  const weights = tokenWeights(masks, config.lossType, config.maxCompletionLength);
  const data = parts.map(({ trajectory: { tokens }, advantage }, index) => ({
    tokens,
    weights: weights[index] as Float32Array,
    advantages: new Float32Array(tokens.length).fill(advantage),
  }));
  return { data, trajectories: parts.map(({ trajectory }) => trajectory) };
}
