/** TRL's metrics of sampled episodes, whatever is learned from them. */
import { mean, standardDeviation } from '../losses/index.js';
import { completionLength, type EpisodeRecord, ranOutOfTokens, turnsOf } from '../rollout/index.js';
import type { Values } from './metrics.js';

/** Rewards, lengths and stop reasons of everything that was sampled. */
export function episodeMetrics(episodes: readonly EpisodeRecord[]): Values {
  const scored = episodes.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return {
    reward: scored.length === 0 ? undefined : mean(scored),
    ...termMetrics(episodes),
    ...processMetrics(episodes),
    ...lengthMetrics(episodes),
  };
}

/** `rewards/<name>/mean` and `/std` of every number the environment reports. */
function termMetrics(episodes: readonly EpisodeRecord[]): Values {
  const names = new Set(episodes.flatMap(({ metrics }) => Object.keys(metrics)));
  const values: Record<string, number> = {};
  for (const name of names) {
    const measured = episodes.flatMap(({ metrics }) => metrics[name] ?? []);
    values[`rewards/${name}/mean`] = mean(measured);
    values[`rewards/${name}/std`] = standardDeviation(measured);
  }
  return values;
}

/** How well the rules were kept, where the environment keeps any. */
function processMetrics(episodes: readonly EpisodeRecord[]): Values {
  const judged = episodes.map((episode) => turnsOf(episode).flatMap(({ violations }) => violations ?? []));
  const turns = judged.flat();
  if (turns.length === 0) return {};
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    'rlvp/violations_per_100_calls': (100 * sum(turns)) / turns.length,
    'rlvp/clean': mean(judged.map((counts) => (sum(counts) === 0 ? 1 : 0))),
  };
}

function lengthMetrics(episodes: readonly EpisodeRecord[]): Values {
  const lengths = episodes.map(completionLength);
  const terminated = episodes.flatMap((episode) =>
    ranOutOfTokens(episode) ? [] : [completionLength(episode)],
  );
  const extremes = (name: string, values: readonly number[]): Values =>
    values.length === 0
      ? {}
      : {
          [`completions/mean_${name}`]: mean(values),
          [`completions/min_${name}`]: Math.min(...values),
          [`completions/max_${name}`]: Math.max(...values),
        };
  const stops: Record<string, number> = {};
  for (const { stopReason } of episodes)
    stops[`stop/${stopReason}`] = (stops[`stop/${stopReason}`] ?? 0) + 1 / episodes.length;
  return {
    ...extremes('length', lengths),
    ...extremes('terminated_length', terminated),
    'completions/clipped_ratio': clippedRatio(episodes),
    empty_rollouts: lengths.filter((length) => length === 0).length,
    num_splits: episodes.reduce((sum, { trajectories }) => sum + Math.max(0, trajectories.length - 1), 0),
    ...stops,
  };
}

/** Share of episodes that ran out of tokens. */
export function clippedRatio(episodes: readonly EpisodeRecord[]): number {
  return mean(episodes.map((episode) => (ranOutOfTokens(episode) ? 1 : 0)));
}
