import type { Task } from '../envs/types.js';
import { rollout, type RolloutOptions } from './rollout.js';
import type { EpisodeGroup, EpisodeRecord } from './types.js';

export interface BestOfNOptions<T extends Task> extends RolloutOptions<T> {
  /** What the best is chosen by, e.g. a reward model; `null` = cannot be chosen. Default: the environment's reward. */
  readonly score?: (episode: EpisodeRecord) => number | null;
}

/** The candidates of one task and the one that is answered with. */
export interface BestOfN<T> extends EpisodeGroup<T> {
  /** Absent when no candidate could be scored. */
  readonly best: EpisodeRecord | undefined;
}

/**
 * Best-of-N (rejection sampling at the time of use): `numGenerations` attempts at each task, the one with the highest score is the
 * answer. No weights change; it costs N samples an answer. How far the policy it amounts to is from the one that samples: `bestOfNKL`.
 *
 * Source: Stiennon et al. 2020, arXiv 2009.01325; Nakano et al. 2021, arXiv 2112.09332.
 */
export async function bestOfN<T extends Task>({
  score,
  ...options
}: BestOfNOptions<T>): Promise<BestOfN<T>[]> {
  const groups = await rollout(options);
  return groups.map((group) => ({ ...group, best: bestEpisode(group.episodes, score) }));
}

/** The episode with the highest score, of equal ones the first; `undefined` when none could be scored. */
export function bestEpisode(
  episodes: readonly EpisodeRecord[],
  score: (episode: EpisodeRecord) => number | null = ({ reward }) => reward,
): EpisodeRecord | undefined {
  let best: EpisodeRecord | undefined;
  let highest = -Infinity;
  for (const episode of episodes) {
    const value = score(episode) ?? -Infinity;
    if (value > highest) [best, highest] = [episode, value];
  }
  return best;
}
