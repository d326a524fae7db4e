/** The samples of one GRPO step: which tasks, how often, and how much better than its group each sample was. */
import type { Engine } from '../engine/types.js';
import type { Environment, Task } from '../envs/types.js';
import { groupAdvantages } from '../losses/index.js';
import { type EpisodeGroup, rollout } from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import { type GRPOConfig, scaleOf } from './grpo-config.js';

/** A group with its advantages. */
export interface ScoredGroup<T extends Task> extends EpisodeGroup<T> {
  /** One for each episode. */
  readonly advantages: readonly number[];
  /** Standard deviation of the group's rewards. */
  readonly std: number;
  /** All rewards are equal: nothing to learn from it. */
  readonly constant: boolean;
}

export interface StepSamples<T extends Task> {
  /** Everything that was sampled. */
  readonly groups: readonly ScoredGroup<T>[];
  /** What is trained on. */
  readonly trained: readonly ScoredGroup<T>[];
  readonly rounds: number;
}

export interface Sampling<T extends Task> {
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  readonly env: Environment<T>;
  /** The tasks of the run in the order in which they are visited. */
  readonly taskAt: (position: number) => T;
}

/**
 * Samples groups until the step has `promptsPerStep` of them, or under `'resample'` as many that carry signal, at most
 * `maxResampleRounds` rounds. Tasks are taken from position `firstTask` on.
 */
export async function sampleStep<T extends Task>(
  { engine, tokenizer, env, taskAt }: Sampling<T>,
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
    const tasks = Array.from({ length: missing }, (_, offset) => taskAt(firstTask + first + offset));
    const { numGenerations, seed, maxCompletionLength, temperature, maxTurns } = config;
    const sampling = {
      numGenerations,
      seed,
      step,
      maxCompletionLength,
      temperature,
      maxTurns,
      firstPromptIndex: first,
    };
    collected.push(...(await rollout({ engine, tokenizer, env, tasks, ...sampling })));
    groups = scoreGroups(collected, config);
    rounds += 1;
    missing = config.promptsPerStep - groups.filter(({ constant }) => !constant).length;
  }
  const trained = config.filterZeroStdGroups === false ? groups : groups.filter(({ constant }) => !constant);
  return { groups, trained, rounds };
}

function scoreGroups<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  config: GRPOConfig,
): ScoredGroup<T>[] {
  const rewards = groups.map(({ episodes }) => episodes.map(({ reward }) => reward));
  const { advantages, stds, constant } = groupAdvantages(rewards, scaleOf(config), config.zeroStdThreshold);
  return groups.map((group, index) => ({
    ...group,
    advantages: advantages[index] as readonly number[],
    std: stds[index] as number,
    constant: constant[index] as boolean,
  }));
}
