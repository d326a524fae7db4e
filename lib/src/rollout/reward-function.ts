/** Rewards from outside the environment: a reward model judges what was sampled. */
import type { ValueScorer } from '../engine/scalar-types.js';
import type { EpisodeGroup, EpisodeRecord, Trajectory } from './types.js';

/** Judges finished episodes, all of a step together: one reward each, `null` = cannot be judged. */
export type RewardFunction = (episodes: readonly EpisodeRecord[]) => Promise<readonly (number | null)[]>;

/**
 * A reward model's score of each episode: of its tokens themselves, prompt and stop token included, as `reward` learned them. Where
 * the prompt was rewritten on the way, the last sequence is scored; an episode in which nothing could be sampled cannot be judged.
 * The model must share the policy's tokenizer.
 */
export function rewardFromModel(model: Pick<ValueScorer, 'scores'>): RewardFunction {
  return async (episodes) => {
    const sequences = episodes.map(({ trajectories }) => trajectories.at(-1)?.tokens);
    const scores = await model.scores(sequences.filter((tokens) => tokens !== undefined));
    let next = 0;
    return sequences.map((tokens) => (tokens === undefined ? null : (scores[next++] as number)));
  };
}

/**
 * The same episodes, judged by `rewardFunction` as a whole: no turn is paid apart any more. What the environment said stays in their
 * metrics as `environment`.
 * @throws Error when a reward is not finite, naming the task.
 */
export async function judgeEpisodes<T>(
  groups: readonly EpisodeGroup<T>[],
  rewardFunction: RewardFunction,
): Promise<EpisodeGroup<T>[]> {
  const rewards = await rewardFunction(groups.flatMap(({ episodes }) => episodes));
  let next = 0;
  const judged = (episode: EpisodeRecord): EpisodeRecord => {
    const reward = rewards[next++];
    if (reward === undefined || (reward !== null && !Number.isFinite(reward)))
      throw new Error(
        `The reward function gives an episode of task ${episode.taskId} the reward ${reward}, expected a finite number, or null where it cannot judge.`,
      );
    const metrics = {
      ...episode.metrics,
      ...(episode.reward !== null && { environment: episode.reward }),
    };
    return { ...episode, reward, metrics, trajectories: episode.trajectories.map(unpaid) };
  };
  return groups.map((group) => ({ ...group, episodes: group.episodes.map(judged) }));
}

function unpaid(trajectory: Trajectory): Trajectory {
  return { ...trajectory, turns: trajectory.turns.map((turn) => ({ ...turn, reward: 0 })) };
}
