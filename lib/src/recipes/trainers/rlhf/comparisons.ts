/** What annotators are shown, and what is learned from their labels. */
import type { Engine, ValueScorer } from '../../../engine/index.js';
import {
  goldReward,
  labelPairs,
  type LabelledPair,
  type LabelOptions,
  type PreferenceTask,
} from '../../../envs/preference/index.js';
import { ranOutOfTokens, type EpisodeRecord } from '../../../rollout/index.js';
import type { PreferenceRow } from '../../../trainers/index.js';
import { drawReplies, promptOf } from './setting.js';

/** A reply as it was sampled. */
export interface SampledReply {
  readonly text: string;
  /** With its end: `[T]`. */
  readonly tokens: Int32Array;
}

export type Comparison = LabelledPair<SampledReply>;

export interface ComparisonOptions extends LabelOptions {
  readonly count: number;
  /** Replies drawn to a request; the best and the worst of them are compared. 2: any two. */
  readonly candidates: number;
  readonly purpose: string;
  /** Replies that annotators are shown. Default: all. */
  readonly accept?: (text: string) => boolean;
}

/** Pairs of different replies of a policy to `tasks`, each task as often as the others, with noisy labels. */
export async function compareReplies(
  engine: Engine,
  tasks: readonly PreferenceTask[],
  { count, candidates, purpose, accept = () => true, ...labels }: ComparisonOptions,
): Promise<Comparison[]> {
  const groups = await drawReplies(engine, repeated(tasks, SPARE * count), {
    numGenerations: candidates,
    seed: labels.seed,
    purpose,
  });
  const pairs = groups.flatMap(({ task, episodes }) => {
    const replies = episodes.filter((episode) => !ranOutOfTokens(episode)).map(replyOf);
    const shown = replies
      .filter(({ text }) => accept(text))
      .toSorted((a, b) => goldOf(task, a) - goldOf(task, b));
    const [best, worst] = [shown.at(-1), shown[0]];
    return best && worst && best.text !== worst.text ? [{ task, replies: [best, worst] as const }] : [];
  });
  if (pairs.length < count)
    throw new Error(
      `Only ${pairs.length} of ${count} comparisons could be drawn; the policy repeats itself.`,
    );
  return labelPairs(pairs.slice(0, count), labels);
}

/** So many times the requests that are needed are tried, for not every one gives a pair. */
const SPARE = 1.1;

/** The tasks over and over, `count` in all. */
export function repeated<T>(tasks: readonly T[], count: number): T[] {
  return Array.from({ length: Math.ceil(count) }, (_, n) => tasks[n % tasks.length] as T);
}

export function replyOf({ trajectories, messages }: EpisodeRecord): SampledReply {
  const [{ tokens, turns }] = trajectories as [EpisodeRecord['trajectories'][number]];
  return { text: messages.at(-1)?.content ?? '', tokens: tokens.slice(turns[0]?.start) };
}

export function goldOf({ topics }: PreferenceTask, { text }: SampledReply): number {
  return goldReward(topics, text).reward;
}

export function rowOf({ task, chosen, rejected }: Comparison): PreferenceRow {
  return { prompt: promptOf(task), chosen: chosen.tokens, rejected: rejected.tokens };
}

/** How often a score agrees with a comparison. */
export interface Agreement {
  /** With the annotator. */
  readonly labels: number;
  /** With the gold reward. */
  readonly gold: number;
}

/** @param scores of chosen and rejected replies by turns; ties count as wrong */
export function agreementOf(comparisons: readonly Comparison[], scores: readonly number[]): Agreement {
  const share = (right: (comparison: Comparison, difference: number) => boolean): number =>
    comparisons.filter((comparison, n) =>
      right(comparison, (scores[2 * n] as number) - (scores[2 * n + 1] as number)),
    ).length / comparisons.length;
  return {
    labels: share((_, difference) => difference > 0),
    gold: share(({ margin }, difference) => difference * margin > 0),
  };
}

/** Prompt and reply of both sides, chosen and rejected by turns. */
export function bothSides({ task, chosen, rejected }: Comparison): Int32Array[] {
  const prompt = promptOf(task);
  return [chosen, rejected].map(({ tokens }) => Int32Array.of(...prompt, ...tokens));
}

/** A reward model’s scores, chosen and rejected by turns. */
export function scoresOf(model: ValueScorer, comparisons: readonly Comparison[]): Promise<number[]> {
  return model.scores(comparisons.flatMap(bothSides));
}
