import type { Engine } from '../engine/types.js';
import type { Episode, Task } from '../envs/types.js';
import { mean } from '../losses/index.js';
import { completionLength, type EpisodeRecord, ranOutOfTokens, rollout } from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import { type Proportion, wilsonInterval } from './intervals.js';
import { passAtK } from './pass-at-k.js';

export interface EvaluateOptions<T extends Task, E extends Episode> {
  readonly engine: Pick<Engine, 'sample' | 'policyVersion' | 'maxLength'>;
  readonly tokenizer: Tokenizer;
  readonly env: { readonly name: string; start(task: T): E };
  readonly tasks: readonly T[];
  /** Samples of each task; 1. Greedy decoding needs no more. */
  readonly numGenerations?: number;
  /** 1; 0 = greedy. */
  readonly temperature?: number;
  /** Tokens a reply may have. */
  readonly maxCompletionLength: number;
  readonly maxTurns?: number;
  /** 42. The same seed gives two checkpoints the same random numbers, for a paired comparison. */
  readonly seed?: number;
  /** A second opinion on a finished episode, independent of the environment's own `success`. */
  readonly verify?: (task: T, episode: E) => boolean;
  /** For each k, pass@k is estimated; default 1 and `numGenerations`. */
  readonly passAt?: readonly number[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (finishedTasks: number, tasks: number) => void;
}

/** How a policy did on one task. */
export interface TaskResult<E extends Episode = Episode> {
  readonly taskId: string;
  /** Share of its samples that succeeded. */
  readonly success: number;
  /** Mean reward of its samples. */
  readonly reward: number;
  readonly episodes: readonly EpisodeRecord[];
  /** The environment's own episodes, in the same order. */
  readonly worlds: readonly E[];
}

/**
 * How a policy did on one split. Samples of one task resemble each other, so every interval counts *tasks* as trials, however many
 * samples each has: never too narrow.
 */
export interface SplitEvaluation<E extends Episode = Episode> {
  readonly split: string;
  readonly tasks: number;
  readonly samplesPerTask: number;
  /** Mean of the environment's `success`. */
  readonly success: Proportion;
  /** Share of episodes accepted by `verify`; absent without it. */
  readonly verified?: Proportion;
  /** Share of episodes all of whose replies could be read; absent when the environment does not report `parsed`. */
  readonly parsed?: Proportion;
  /** Share of actions that ran; absent when the environment does not report `valid` and `actions`. */
  readonly validActions?: Proportion;
  readonly reward: number;
  /** Mean of every number the environment reports, over the episodes that report it. */
  readonly metrics: Readonly<Record<string, number>>;
  /** pass@k by k. */
  readonly passAt: Readonly<Record<string, number>>;
  readonly meanLength: number;
  /** Share of episodes that ran out of tokens. */
  readonly clippedRatio: number;
  /** In the order of the tasks, for `pairedBootstrap`. */
  readonly perTask: readonly TaskResult<E>[];
}

/** Episodes sampled together. */
const EPISODES_AT_ONCE = 64;

/**
 * Lets a policy try tasks and reports each split by itself, in order of first appearance.
 *
 * @throws RangeError, before anything is sampled, when a k of `passAt` is not an integer from 1 to `numGenerations`; the
 *   signal's reason when it is aborted.
 */
export async function evaluate<T extends Task, E extends Episode>(
  options: EvaluateOptions<T, E>,
): Promise<SplitEvaluation<E>[]> {
  const { tasks, numGenerations = 1, verify, signal, onProgress } = options;
  const passAt = options.passAt ?? [...new Set([1, numGenerations])];
  passAt.forEach((k) => passAtK(numGenerations, 0, k));
  const results: {
    readonly split: string;
    readonly result: TaskResult<E>;
    readonly verdicts: readonly boolean[];
  }[] = [];
  const tasksAtOnce = Math.max(1, Math.floor(EPISODES_AT_ONCE / numGenerations));
  for (let first = 0; first < tasks.length; first += tasksAtOnce) {
    signal?.throwIfAborted();
    const chunk = tasks.slice(first, first + tasksAtOnce);
    const worlds: E[] = [];
    const groups = await rollout({
      ...rolloutOptions(options, worlds),
      tasks: chunk,
      firstPromptIndex: first,
    });
    groups.forEach(({ task, episodes }, index) => {
      const own = worlds.slice(index * numGenerations, (index + 1) * numGenerations);
      const verdicts = verify === undefined ? [] : own.map((world) => verify(task, world));
      results.push({ split: task.split, result: taskResult(task.id, episodes, own), verdicts });
    });
    onProgress?.(results.length, tasks.length);
  }
  return [...new Set(results.map(({ split }) => split))].map((split) => {
    const own = results.filter((result) => result.split === split);
    const verdicts = own.flatMap((result) => result.verdicts);
    const summary = summarize(
      split,
      own.map(({ result }) => result),
      passAt,
    );
    return verify === undefined
      ? summary
      : { ...summary, verified: proportion(verdicts.map(Number), own.length) };
  });
}

/** Everything but the tasks; the episodes that are started are kept in `worlds`, task by task. */
function rolloutOptions<T extends Task, E extends Episode>(
  options: EvaluateOptions<T, E>,
  worlds: E[],
): Omit<Parameters<typeof rollout<T>>[0], 'tasks'> {
  const {
    engine,
    tokenizer,
    env,
    numGenerations = 1,
    temperature = 1,
    maxCompletionLength,
    maxTurns = 8,
    seed = 42,
  } = options;
  const start = (task: T): E => {
    const world = env.start(task);
    worlds.push(world);
    return world;
  };
  const settings = { numGenerations, temperature, maxCompletionLength, maxTurns, seed };
  return { engine, tokenizer, env: { name: env.name, start }, purpose: 'evaluate', step: 0, ...settings };
}

function taskResult<E extends Episode>(
  taskId: string,
  episodes: readonly EpisodeRecord[],
  worlds: readonly E[],
): TaskResult<E> {
  return {
    taskId,
    success: mean(episodes.map(({ metrics }) => metrics['success'] ?? 0)),
    reward: mean(episodes.map(({ reward }) => reward ?? 0)),
    episodes,
    worlds,
  };
}

function summarize<E extends Episode>(
  split: string,
  perTask: readonly TaskResult<E>[],
  passAt: readonly number[],
): SplitEvaluation<E> {
  const tasks = perTask.length;
  const episodes = perTask.flatMap((task) => task.episodes);
  const values = (name: string): number[] => episodes.flatMap(({ metrics }) => metrics[name] ?? []);
  const names = [...new Set(episodes.flatMap(({ metrics }) => Object.keys(metrics)))];
  const total = (name: string): number => values(name).reduce((sum, value) => sum + value, 0);
  return {
    split,
    tasks,
    samplesPerTask: episodes.length / tasks,
    success: proportion(
      episodes.map(({ metrics }) => metrics['success'] ?? 0),
      tasks,
    ),
    ...(names.includes('parsed') && {
      parsed: proportion(
        episodes.map(({ metrics }) => metrics['parsed'] ?? 0),
        tasks,
      ),
    }),
    ...(names.includes('actions') && {
      validActions: wilsonInterval((total('valid') / Math.max(1, total('actions'))) * tasks, tasks),
    }),
    reward: mean(perTask.map(({ reward }) => reward)),
    metrics: Object.fromEntries(names.map((name) => [name, mean(values(name))])),
    passAt: Object.fromEntries(
      passAt.map((k) => [String(k), mean(perTask.map((task) => taskPassAt(task, k)))]),
    ),
    meanLength: mean(episodes.map(completionLength)),
    clippedRatio: mean(episodes.map((episode) => Number(ranOutOfTokens(episode)))),
    perTask,
  };
}

/** The mean of shares in [0, 1], with the width of as many trials as there are tasks. */
function proportion(shares: readonly number[], tasks: number): Proportion {
  return wilsonInterval(mean(shares) * tasks, tasks);
}

function taskPassAt({ episodes }: TaskResult, k: number): number {
  const correct = episodes.filter(({ metrics }) => metrics['success'] === 1).length;
  return passAtK(episodes.length, correct, k);
}
