/** Episodes of the policy itself, and the loop of the trainers that learn from them. */
import type { Engine } from '../engine/types.js';
import type { Environment, Task } from '../envs/types.js';
import {
  type EpisodeGroup,
  type EpisodeRecord,
  judgeEpisodes,
  type RewardFunction,
  rollout,
  totalLength,
} from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import { dataOrder } from './data-order.js';
import type { SamplingConfig } from './sampling-config.js';

export interface Sampling<T extends Task> {
  readonly engine: Pick<Engine, 'sample' | 'policyVersion' | 'maxLength'>;
  readonly tokenizer: Tokenizer;
  readonly env: Environment<T>;
  /** The tasks of the run in the order in which they are visited. */
  readonly taskAt: (position: number) => T;
  /** Judges in place of the environment. */
  readonly rewardFunction?: RewardFunction;
}

/** The tasks of a run in the order in which they are visited, epoch after epoch. */
export function taskOrder<T extends Task>(
  tasks: readonly T[],
  { seed, shuffleDataset }: Pick<SamplingConfig, 'seed' | 'shuffleDataset'>,
): (position: number) => T {
  if (tasks.length === 0) throw new Error('Training needs at least one task.');
  const order = dataOrder(tasks.length, seed, shuffleDataset);
  return (position) => tasks[order(position)] as T;
}

/** Which tasks of a step are tried. */
export interface TaskRange {
  readonly step: number;
  /** Position of the first task in the order of the run. */
  readonly firstTask: number;
  readonly count: number;
  /** Position of the first task in the step; lets further rounds of one step draw new random numbers. Default 0. */
  readonly firstPromptIndex?: number;
}

/** Tries each task of the range `numGenerations` times. */
export async function sampleGroups<T extends Task>(
  { engine, tokenizer, env, taskAt, rewardFunction }: Sampling<T>,
  config: SamplingConfig,
  { step, firstTask, count, firstPromptIndex = 0 }: TaskRange,
): Promise<EpisodeGroup<T>[]> {
  const tasks = Array.from({ length: count }, (_, offset) => taskAt(firstTask + offset));
  const { numGenerations, seed, maxCompletionLength, temperature, maxTurns } = config;
  const settings = { numGenerations, seed, maxCompletionLength, temperature, maxTurns };
  const groups = await rollout({ engine, tokenizer, env, tasks, step, firstPromptIndex, ...settings });
  return rewardFunction ? judgeEpisodes(groups, rewardFunction) : groups;
}

/** All that a trainer of episodes needs to go on, beside the engine's own state. Plain data. */
export interface SamplingState {
  /** Steps done. */
  readonly step: number;
  /** Optimizer updates taken. */
  readonly updates: number;
  /** Tasks drawn so far: the position in the data. */
  readonly tasks: number;
  /** Episodes sampled, whether trained on or not. */
  readonly samples: number;
  /** Tokens read and sampled. */
  readonly numTokens: number;
  /** Refused updates in a row. */
  readonly refused: number;
}

export const samplingStart: SamplingState = {
  step: 0,
  updates: 0,
  tasks: 0,
  samples: 0,
  numTokens: 0,
  refused: 0,
};

/**
 * The state after a step that sampled `groups`, read `tokensRead` tokens of other texts, took `updates` optimizer updates and ended with
 * `refused` refusals in a row.
 */
export function stateAfter<T extends Task>(
  state: SamplingState,
  groups: readonly EpisodeGroup<T>[],
  {
    updates,
    refused,
    tokensRead = 0,
  }: { readonly updates: number; readonly refused: number; readonly tokensRead?: number },
): SamplingState {
  const episodes = episodesOf(groups);
  return {
    step: state.step + 1,
    updates: state.updates + updates,
    tasks: state.tasks + groups.length,
    samples: state.samples + episodes.length,
    numTokens:
      state.numTokens + tokensRead + episodes.reduce((sum, episode) => sum + totalLength(episode), 0),
    refused,
  };
}

export function episodesOf<T extends Task>(groups: readonly EpisodeGroup<T>[]): EpisodeRecord[] {
  return groups.flatMap(({ episodes }) => episodes);
}
