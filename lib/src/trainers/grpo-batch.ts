/** From sampled groups to what the engine trains on. */
import type { Task } from '../envs/types.js';
import { spreadOverTurns, tokenWeights } from '../losses/index.js';
import type { GRPOConfig } from './grpo-config.js';
import type { ScoredGroup } from './grpo-groups.js';
import { requireFresh, type SampledBatch } from './sampled-batch.js';
import { isMasked } from './trained-tokens.js';

/**
 * One datum for each trajectory: the turn's advantage on every token the policy sampled, weight 0 on all others and, with
 * `maskTruncatedCompletions`, on episodes that were cut.
 *
 * @throws StaleSampleError unless all samples are from policy version `policyVersion`.
 */
export function grpoBatch<T extends Task>(
  groups: readonly Pick<ScoredGroup<T>, 'episodes' | 'turnAdvantages'>[],
  config: GRPOConfig,
  policyVersion: number,
): SampledBatch {
  const parts = groups.flatMap(({ episodes, turnAdvantages }) =>
    episodes.flatMap((episode, index) => {
      requireFresh(episode, policyVersion);
      const masked = isMasked(episode, config);
      let turn = 0;
      return episode.trajectories.map((trajectory) => ({
        trajectory,
        advantages: (turnAdvantages[index] as readonly number[]).slice(
          turn,
          (turn += trajectory.turns.length),
        ),
        masked,
      }));
    }),
  );
  const masks = parts.map(({ trajectory: { actionMask }, masked }) =>
    masked ? new Uint8Array(actionMask.length) : actionMask,
  );
  const weights = tokenWeights(masks, config.lossType, config.maxCompletionLength);
  const data = parts.map(({ trajectory: { tokens, turns }, advantages }, index) => ({
    tokens,
    weights: weights[index] as Float32Array,
    advantages: spreadOverTurns(advantages, turns, tokens.length),
  }));
  return { data, trajectories: parts.map(({ trajectory }) => trajectory) };
}
