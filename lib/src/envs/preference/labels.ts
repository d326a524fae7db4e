/** Annotators: they see the gold reward, through noise. */
import { randomStream } from '../../tensor/random.js';
import { goldReward } from './gold.js';
import type { PreferenceTask } from './tasks.js';

export interface LabelOptions {
  /** τ, in units of the gold reward: how large a difference must be before annotators agree on it. Above 0. */
  readonly noise: number;
  /** With the position of an item, fixes its label. */
  readonly seed: number;
}

/** What annotators read. Whatever else a reply carries, such as its tokens, stays with it. */
export interface ReadReply {
  readonly text: string;
}

/** Two replies to one request, not yet compared. */
export interface ReplyPair<Reply extends ReadReply> {
  readonly task: PreferenceTask;
  readonly replies: readonly [Reply, Reply];
}

export interface LabelledPair<Reply extends ReadReply> {
  readonly task: PreferenceTask;
  readonly chosen: Reply;
  readonly rejected: Reply;
  /** Gold reward of the chosen reply less that of the rejected; negative when the annotator erred. */
  readonly margin: number;
}

export interface LabelledReply<Reply extends ReadReply> {
  readonly task: PreferenceTask;
  readonly reply: Reply;
  readonly label: boolean;
}

/** Says of each pair which reply is better: the first with probability `σ((gold₁ − gold₂) / τ)` (Bradley and Terry 1952). */
export function labelPairs<Reply extends ReadReply>(
  pairs: readonly ReplyPair<Reply>[],
  { noise, seed }: LabelOptions,
): LabelledPair<Reply>[] {
  requireNoise(noise);
  return pairs.map(({ task, replies: [first, second] }, index) => {
    const margin = goldOf(task, first) - goldOf(task, second);
    const draw = randomStream(seed, 'preference/pair', 0, index).uniform();
    return draw < sigmoid(margin / noise)
      ? { task, chosen: first, rejected: second, margin }
      : { task, chosen: second, rejected: first, margin: -margin };
  });
}

/**
 * Says of each reply, by itself, whether it is good: with probability `σ((gold − bar) / τ)`.
 * @param options.bar the gold reward of a reply that is called good as often as not
 */
export function labelReplies<Reply extends ReadReply>(
  replies: readonly { readonly task: PreferenceTask; readonly reply: Reply }[],
  { noise, seed, bar }: LabelOptions & { readonly bar: number },
): LabelledReply<Reply>[] {
  requireNoise(noise);
  return replies.map(({ task, reply }, index) => {
    const draw = randomStream(seed, 'preference/reply', 0, index).uniform();
    return { task, reply, label: draw < sigmoid((goldOf(task, reply) - bar) / noise) };
  });
}

/**
 * Accuracy on such pairs, in expectation over their labels, of who scores replies in some way: the mean of
 * `σ(±(gold₁ − gold₂) / τ)`, + where the better scored reply is the better one, and a half for a tie.
 * @param differences score of the chosen reply less that of the rejected, one a pair
 */
export function expectedAgreement(
  pairs: readonly { readonly margin: number }[],
  differences: readonly number[],
  noise: number,
): number {
  requireNoise(noise);
  const agreement = (margin: number, n: number): number =>
    sigmoid((Math.sign(differences[n] as number) * margin) / noise);
  return pairs.reduce((sum, { margin }, n) => sum + agreement(margin, n), 0) / pairs.length;
}

/** Accuracy on such pairs, in expectation over their labels, of who knows the gold reward. No reward model can be expected to do better. */
export function labelCeiling(pairs: readonly { readonly margin: number }[], noise: number): number {
  return expectedAgreement(
    pairs,
    pairs.map(({ margin }) => margin),
    noise,
  );
}

function goldOf({ topics }: PreferenceTask, { text }: ReadReply): number {
  return goldReward(topics, text).reward;
}

function requireNoise(noise: number): void {
  if (noise > 0 && Number.isFinite(noise)) return;
  throw new RangeError(`noise is ${noise}, expected a number > 0; a small one makes annotators certain.`);
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
