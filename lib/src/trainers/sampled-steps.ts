/** The loop of the trainers that learn from what the policy has just sampled. */
import type { Engine } from '../engine/types.js';
import type { Environment, Task } from '../envs/types.js';
import type { EpisodeGroup, EpisodeRecord, RewardFunction } from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import { episodeMetrics } from './episode-metrics.js';
import { finiteMetrics, type Metrics, type Values } from './metrics.js';
import {
  episodesOf,
  sampleGroups,
  samplingStart,
  type SamplingState,
  stateAfter,
  taskOrder,
} from './sampling.js';
import type { SamplingConfig } from './sampling-config.js';

/** What every trainer of episodes is given. */
export interface SampledOptions<T extends Task> {
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  readonly env: Environment<T>;
  readonly tasks: readonly T[];
  /** Judges the episodes in place of the environment, whose rewards are then reported as `rewards/environment/mean`. */
  readonly rewardFunction?: RewardFunction;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: SamplingState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

/** One step: sample, then learn from it. */
export interface SampledStep {
  /** 1-based. */
  readonly step: number;
  readonly totalSteps: number;
  /** What the trainer measured, TRL's `reward`, `rewards/<name>/mean`, `completions/…`, and `num_tokens`, `num_samples`, `epoch`. */
  readonly metrics: Metrics;
  /** Seconds; apart from `metrics`, because no two runs share them. */
  readonly timing: { readonly step_time: number; readonly sampling_time: number };
  /** Everything that was sampled, for the log. */
  readonly episodes: readonly EpisodeRecord[];
  readonly state: SamplingState;
}

/** What a step learned from its samples. */
export interface Learned {
  readonly metrics: Values;
  /** Optimizer updates taken. */
  readonly updates: number;
  /** Refused updates in a row, now. */
  readonly refused: number;
  /** Tokens of other texts than the episodes'. Default 0. */
  readonly tokensRead?: number;
}

/** `maxSteps` times: samples the next tasks, `promptsPerStep` of them or `tasksAt(step)`, and hands their episodes to `learn`. */
export async function* sampledSteps<T extends Task>(
  { engine, tokenizer, env, tasks, rewardFunction, state: resumed, signal }: SampledOptions<T>,
  config: SamplingConfig,
  learn: (groups: readonly EpisodeGroup<T>[], state: SamplingState) => Promise<Learned>,
  tasksAt: (step: number) => number = () => config.promptsPerStep,
): AsyncGenerator<SampledStep, void, void> {
  const taskAt = taskOrder(tasks, config);
  let state = resumed ?? samplingStart;
  while (state.step < config.maxSteps && !signal?.aborted) {
    const started = performance.now();
    const range = { step: state.step, firstTask: state.tasks, count: tasksAt(state.step) };
    const groups = await sampleGroups({ engine, tokenizer, env, taskAt, rewardFunction }, config, range);
    const sampled = performance.now();
    const learned = await learn(groups, state);
    state = stateAfter(state, groups, learned);
    const episodes = episodesOf(groups);
    const metrics = finiteMetrics({
      ...(episodes.length > 0 && episodeMetrics(episodes)),
      ...learned.metrics,
      num_tokens: state.numTokens,
      num_samples: state.samples,
      epoch: state.tasks / tasks.length,
    });
    const finished = performance.now();
    const timing = { step_time: (finished - started) / 1000, sampling_time: (sampled - started) / 1000 };
    yield { step: state.step, totalSteps: config.maxSteps, metrics, timing, episodes, state };
  }
}
