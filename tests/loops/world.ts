/** What all loops share: questions, a judge, tries, and one step down a gradient. */
import * as tf from '@tensorflow/tfjs-core';
import { generate, type MaskedSequence, type Model, scoreSequences, scoreValues } from 'posttrain/model';

export interface World {
  /** Questions, as tokens. */
  readonly prompts: readonly Int32Array[];
  /** What a reply is worth. */
  readonly reward: (reply: Int32Array) => number;
  /** Ends a reply. */
  readonly stopToken: number;
  /** Longest reply, in tokens. */
  readonly maxCompletionLength: number;
}

/** A world in which someone knows better. */
export interface TaughtWorld extends World {
  readonly teacher: Model;
}

/** Trains `model` for some steps. */
export type Loop<W extends World = World> = (
  model: Model,
  world: W,
  optimizer: tf.Optimizer,
  maxSteps: number,
) => Promise<void>;

/** A reply that was tried. */
export interface Attempt {
  /** Prompt and reply: `[T]`. */
  readonly tokens: Int32Array;
  /** `[T]`, 1 at the tokens of the reply. */
  readonly mask: Uint8Array;
  /** Tokens of the reply. */
  readonly length: number;
  /** Log-probability of each token of the reply when it was sampled. */
  readonly logprobs: Float32Array;
  readonly reward: number;
  /** It was too long, and was cut before it ended. */
  readonly cut: boolean;
}

/** Which replies to try. */
export interface Tries {
  readonly step: number;
  /** The first prompt to try; after the last comes the first again. */
  readonly from: number;
  /** How many prompts. */
  readonly prompts: number;
  /** How often each. */
  readonly each: number;
}

/** Samples and judges replies: `[prompts][each]`. */
export async function attempt(
  model: Model,
  world: World,
  { step, from, prompts, each }: Tries,
): Promise<Attempt[][]> {
  const tries = Array.from({ length: prompts * each }, (_, n) => {
    const position = from + Math.floor(n / each);
    const prompt = world.prompts[position % world.prompts.length] as Int32Array;
    // The trainer's own key, which counts the prompts of a step from 0, so that both draw the same replies.
    const index = (position - step * prompts) * 2 ** 16 + (n % each);
    const key = { seed: 42, purpose: 'rollout/0', step, index };
    return { prompt, key };
  });
  const samples = await generate(
    model,
    tries.map(({ prompt }) => prompt),
    { maxNewTokens: world.maxCompletionLength, temperature: 1, stopTokens: [world.stopToken] },
    tries.map(({ key }) => key),
  );
  const attempts = samples.map(({ tokens: reply, logprobs, finishReason }, n): Attempt => {
    const tokens = Int32Array.of(...(tries[n]?.prompt ?? []), ...reply);
    const mask = new Uint8Array(tokens.length).fill(1, tokens.length - reply.length);
    const cut = finishReason === 'length';
    return { tokens, mask, length: reply.length, logprobs, reward: world.reward(reply), cut };
  });
  return Array.from({ length: prompts }, (_, n) => attempts.slice(n * each, (n + 1) * each));
}

/** Each reply's value at each of its tokens: `[N]`, in the order of `sequenceLogprobs`. */
export function perToken(samples: readonly Attempt[], values: readonly number[]): tf.Tensor {
  return tf.tensor1d(samples.flatMap(({ length }, n) => new Array<number>(length).fill(values[n] as number)));
}

/** Log-probability of each token when it was sampled: `[N]`. */
export function whenSampled(samples: readonly Attempt[]): tf.Tensor {
  return tf.tensor1d(samples.flatMap(({ logprobs }) => [...logprobs]));
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation of a sample, over N − 1. */
export function std(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Values over all tokens, moved to mean 0 and scaled to deviation 1. */
export function standardized(values: readonly number[]): number[] {
  const [centre, scale] = [mean(values), std(values)];
  return values.map((value) => (value - centre) / scale);
}

/** The replies, masked where a critic says what it expects of their tokens: one token earlier. */
export function beforeTokens(samples: readonly Attempt[]): MaskedSequence[] {
  return samples.map(({ tokens, mask }) => ({ tokens, mask: Uint8Array.of(...mask.slice(1), 0) }));
}

/** What a critic expects before each token of each reply: `[samples][tokens]`. */
export async function valuesBefore(critic: Model, samples: readonly Attempt[]): Promise<number[][]> {
  const values = await scoreValues(critic, beforeTokens(samples));
  return samples.map(({ length }, n) => [...(values[n] as Float32Array).slice(-length - 1, -1)]);
}

/** Log-probability of each token of each reply under a model: `[samples][tokens]`. */
export async function logprobsOf(model: Model, samples: readonly Attempt[]): Promise<number[][]> {
  const logprobs = await scoreSequences(model, samples);
  return samples.map(({ length }, n) => [...(logprobs[n] as Float32Array).slice(-length)]);
}

/** One step of the optimizer down the gradient of `loss`. */
export function descend(
  models: Model | readonly Model[],
  optimizer: tf.Optimizer,
  loss: () => tf.Tensor,
): void {
  const weights = [models].flat().flatMap((model) => [...model.weights.values()]);
  optimizer.minimize(() => loss() as tf.Scalar, false, weights);
}
