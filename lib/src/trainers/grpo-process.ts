/** Advantages of turns, where the environment says of every turn what it broke and what it met. */
import type { Task } from '../envs/types.js';
import { type ProcessEpisode, rlvpAdvantages } from '../losses/index.js';
import { type EpisodeGroup, type EpisodeRecord, turnsOf } from '../rollout/index.js';
import type { GRPOConfig } from './grpo-config.js';
import { ConfigError } from './resolve-config.js';
import { isMasked } from './trained-tokens.js';

/**
 * Advantages `[groups][episodes][turns]` of both channels (`rlvpAdvantages`).
 * @throws ConfigError when no turn says anything about rules, so that there is nothing to be learned from the process.
 */
export function processAdvantages<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  config: GRPOConfig,
): number[][][] {
  const episodes = groups.flatMap((group) => group.episodes);
  if (!episodes.some(keepsRules) && episodes.some((episode) => turnsOf(episode).length > 0))
    throw new ConfigError(
      `GRPOConfig: channels is ${config.channels}, but the environment reports no \`violations\`. Report their number in every StepResult, or set channels to outcome.`,
    );
  const processes = groups.map((group) => group.episodes.map((episode) => processOf(episode, config)));
  return rlvpAdvantages(processes, config, config.zeroStdThreshold);
}

function keepsRules(episode: EpisodeRecord): boolean {
  return turnsOf(episode).some(({ violations }) => violations !== undefined);
}

function processOf(episode: EpisodeRecord, config: GRPOConfig): ProcessEpisode {
  // what is not trained must not count among the tokens a channel is divided by
  const masked = isMasked(episode, config);
  const turns = turnsOf(episode).map(({ start, end, violations = 0, discharges = 0 }) => ({
    tokens: masked ? 0 : end - start,
    violations,
    discharges,
  }));
  return { outcome: episode.reward, turns };
}
