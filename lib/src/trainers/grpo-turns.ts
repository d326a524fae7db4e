/** Advantages of turns, where the environment pays for turns. */
import { turnAdvantages } from '../losses/index.js';
import { type EpisodeGroup, type EpisodeRecord, turnsOf } from '../rollout/index.js';
import type { GRPOConfig } from './grpo-config.js';
import { scaleOf } from './grpo-rules.js';

/** Advantages `[groups][episodes][turns]` of each turn's return (`turnAdvantages`); 0 in episodes that could not be judged. */
export function turnLevelAdvantages<T>(groups: readonly EpisodeGroup<T>[], config: GRPOConfig): number[][][] {
  const scaleRewards = scaleOf(config) === 'none' ? 'none' : 'group';
  const judged = groups.map(({ episodes }) => episodes.map(rewardsOfTurns));
  const advantages = turnAdvantages(judged, {
    gamma: config.gamma,
    scaleRewards,
    zeroStdThreshold: config.zeroStdThreshold,
  });
  return groups.map(({ episodes }, g) =>
    episodes.map((episode, e) => turnsOf(episode).map((_, turn) => advantages[g]?.[e]?.[turn] ?? 0)),
  );
}

/** What each turn was paid, the last one also what the episode earned as a whole; no turns where nobody could judge. */
function rewardsOfTurns(episode: EpisodeRecord): number[] {
  if (episode.reward === null) return [];
  const paid = turnsOf(episode).map(({ reward }) => reward);
  const rest = paid.reduce((left, reward) => left - reward, episode.reward);
  return paid.map((reward, turn) => (turn + 1 === paid.length ? reward + rest : reward));
}
