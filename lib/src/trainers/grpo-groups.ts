/** The samples of one GRPO step: which tasks, how often, and how much better than its baseline each sample was. */
import type { Task } from '../envs/types.js';
import {
  baselineAdvantages,
  type GroupAdvantages,
  groupAdvantages,
  leaveOneOutAdvantages,
} from '../losses/index.js';
import { softOverlongPunishment } from '../rewards/overlong.js';
import {
  completionLength,
  type EpisodeGroup,
  type EpisodeRecord,
  longestReply,
  turnsOf,
} from '../rollout/index.js';
import type { GRPOConfig } from './grpo-config.js';
import { processAdvantages } from './grpo-process.js';
import { scaleOf } from './grpo-rules.js';
import { turnLevelAdvantages } from './grpo-turns.js';
import { sampleGroups, type Sampling } from './sampling.js';

/** A group with its advantages. */
export interface ScoredGroup<T extends Task> extends EpisodeGroup<T> {
  /** One for each episode: the mean over its tokens where turns differ. */
  readonly advantages: readonly number[];
  /** `[episodes][turns]`: what each token of a turn is trained with. */
  readonly turnAdvantages: readonly (readonly number[])[];
  /** Standard deviation of the group's rewards. */
  readonly std: number;
  /** All rewards are equal: nothing to learn from comparing them with each other. */
  readonly constant: boolean;
}

export interface StepSamples<T extends Task> {
  /** Everything that was sampled. */
  readonly groups: readonly ScoredGroup<T>[];
  /** What is trained on. */
  readonly trained: readonly ScoredGroup<T>[];
  readonly rounds: number;
}

/**
 * Samples groups until the step has `promptsPerStep` of them, or under `'resample'` as many that carry signal, at most
 * `maxResampleRounds` rounds. Tasks are taken from position `firstTask` on.
 */
export async function sampleStep<T extends Task>(
  sampling: Sampling<T>,
  config: GRPOConfig,
  step: number,
  firstTask: number,
): Promise<StepSamples<T>> {
  const resample = config.filterZeroStdGroups === 'resample';
  const collected: EpisodeGroup<T>[] = [];
  let groups: ScoredGroup<T>[] = [];
  let rounds = 0;
  let missing = config.promptsPerStep;
  while (missing > 0 && rounds < (resample ? config.maxResampleRounds : 1)) {
    const first = collected.length;
    const range = { step, firstTask: firstTask + first, count: missing, firstPromptIndex: first };
    const fresh = await sampleGroups(sampling, config, range);
    collected.push(...fresh.map((group) => punishOverlong(group, config)));
    groups = scoreGroups(collected, config);
    rounds += 1;
    missing = config.promptsPerStep - groups.filter(({ constant }) => !constant).length;
  }
  const trained = config.filterZeroStdGroups === false ? groups : groups.filter(({ constant }) => !constant);
  return { groups, trained, rounds };
}

/** Compares the rewards of each group with the baseline of `config`. */
export function scoreGroups<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  config: GRPOConfig,
): ScoredGroup<T>[] {
  const rewards = groups.map(({ episodes }) => episodes.map(({ reward }) => reward));
  const comparison = groupAdvantages(rewards, scaleOf(config), config.zeroStdThreshold);
  const { stds, constant } = comparison;
  const ofOutcomes = advantagesOf(rewards, comparison, config);
  const ofTurns = advantagesOfTurns(groups, config);
  return groups.map((group, index) => ({
    ...group,
    ...(ofTurns === undefined
      ? sameInAllTurns(group, ofOutcomes[index] as readonly number[])
      : meanOverTokens(group, ofTurns[index] as readonly number[][])),
    std: stds[index] as number,
    constant: constant[index] as boolean,
  }));
}

/** Advantages `[groups][episodes][turns]`; nothing where all turns of an episode have the same. */
function advantagesOfTurns<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  config: GRPOConfig,
): number[][][] | undefined {
  if (config.channels !== 'outcome') return processAdvantages(groups, config);
  return config.advantageLevel === 'turn' ? turnLevelAdvantages(groups, config) : undefined;
}

type GroupScore = Pick<ScoredGroup<Task>, 'advantages' | 'turnAdvantages'>;

function sameInAllTurns<T extends Task>(
  { episodes }: EpisodeGroup<T>,
  advantages: readonly number[],
): GroupScore {
  const turnAdvantages = episodes.map((episode, index) =>
    turnsOf(episode).map(() => advantages[index] as number),
  );
  return { advantages, turnAdvantages };
}

function meanOverTokens<T extends Task>(
  { episodes }: EpisodeGroup<T>,
  turnAdvantages: readonly number[][],
): GroupScore {
  const advantages = episodes.map((episode, index) => {
    const sum = turnsOf(episode).reduce(
      (total, { start, end }, turn) => total + (end - start) * (turnAdvantages[index]?.[turn] as number),
      0,
    );
    return sum / Math.max(1, completionLength(episode));
  });
  return { advantages, turnAdvantages };
}

/** Advantages `[groups][samples]` over the baseline of `config`. */
function advantagesOf(
  rewards: readonly (readonly (number | null)[])[],
  inGroups: GroupAdvantages,
  config: GRPOConfig,
): GroupAdvantages['advantages'] {
  switch (config.baseline) {
    case 'group':
      return inGroups.advantages;
    case 'leave_one_out':
      return leaveOneOutAdvantages(rewards).map((group, index) =>
        inGroups.constant[index] ? group.map(() => 0) : group,
      );
    case 'batch': {
      const batch = groupAdvantages([rewards.flat()], scaleOf(config), config.zeroStdThreshold);
      return regroup(batch.advantages.flat(), rewards);
    }
    case 'none':
      return rewards.map((group) => baselineAdvantages(group, 0));
  }
}

/** Flat values in groups as large as those of `like`. */
function regroup<V>(values: readonly V[], like: readonly (readonly unknown[])[]): V[][] {
  let end = 0;
  return like.map(({ length }) => values.slice(end, (end += length)));
}

/** Soft overlong punishment in the reward of each episode, and beside it by TRL's name. */
function punishOverlong<T extends Task>(
  group: EpisodeGroup<T>,
  { maxCompletionLength, softPunishCache }: GRPOConfig,
): EpisodeGroup<T> {
  if (softPunishCache === null) return group;
  const punish = (episode: EpisodeRecord): EpisodeRecord => {
    if (episode.reward === null) return episode;
    const punishment = softOverlongPunishment(longestReply(episode), maxCompletionLength, softPunishCache);
    const metrics = { ...episode.metrics, soft_overlong_punishment_reward: punishment };
    return { ...episode, reward: episode.reward + punishment, metrics };
  };
  return { ...group, episodes: group.episodes.map(punish) };
}
