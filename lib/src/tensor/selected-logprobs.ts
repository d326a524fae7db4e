import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireIndices, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';
import { stopGradient } from './stop-gradient.js';

/** What a policy thought of the tokens that were chosen. */
export interface SelectedLogprobs {
  /** `[N]` log-probability of each target, in nats; differentiable. */
  readonly logprobs: Tensor;
  /** `[N]` entropy of each distribution, in nats; a metric without gradient. */
  readonly entropy: Tensor;
}

/**
 * `log softmax(logits / temperature)` at one target a row, without keeping an `[N, V]` table of log-probabilities.
 * @param logits `[N, V]`; -Infinity excludes a token
 * @param targets `[N]` int32 in [0, V); anything else throws
 * @param temperature > 0; the one the tokens were sampled at (default 1)
 */
export function selectedLogprobs(logits: Tensor, targets: Tensor, temperature = 1): SelectedLogprobs {
  requireShape('logits', logits, [null, null]);
  requireShape('targets', targets, [logits.shape[0] as number]);
  requireIndices('targets', targets, logits.shape[1] as number);
  if (!(temperature > 0 && Number.isFinite(temperature)))
    throw new RangeError(`temperature must be a positive number, got ${temperature}`);
  const [logprobs, entropy] = fusedOr<Tensor[]>(
    'SelectedLogprobs',
    { logits, targets },
    { temperature },
    () => composedSelectedLogprobs(logits, targets, temperature),
  ) as [Tensor, Tensor];
  return { logprobs, entropy };
}

export function composedSelectedLogprobs(
  logits: Tensor,
  targets: Tensor,
  temperature: number,
): [Tensor, Tensor] {
  const scaled = tf.div(logits, temperature);
  const shifted = tf.sub(scaled, stopGradient(tf.max(scaled, 1, true)));
  const logNormalizer = tf.logSumExp(shifted, 1);
  const chosen = tf.equal(tf.range(0, logits.shape[1] as number, 1, 'int32'), tf.expandDims(targets, 1));
  const logprobs = tf.sub(tf.sum(tf.where(chosen, shifted, tf.zerosLike(shifted)), 1), logNormalizer);
  const all = stopGradient(tf.sub(shifted, tf.expandDims(logNormalizer, 1)));
  const possible = tf.greater(all, -Infinity);
  const terms = tf.where(possible, tf.mul(tf.exp(all), all), tf.zerosLike(all));
  return [logprobs, tf.neg(tf.sum(terms, 1))];
}
