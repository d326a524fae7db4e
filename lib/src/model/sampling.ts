/** From logits to one token. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { SamplingParams } from './types.js';

export interface Draw {
  readonly token: number;
  /** Log-probability under the distribution it was drawn from (at temperature 1, unfiltered, when greedy). */
  readonly logprob: number;
}

/** Throws when a sampling parameter is out of range, naming it. */
export function checkSamplingParams({ maxNewTokens, temperature, topP = 1, topK = 0 }: SamplingParams): void {
  const demand = (ok: boolean, name: string, value: number, expected: string): void => {
    if (!ok) throw new RangeError(`${name} is ${value}; expected ${expected}.`);
  };
  demand(
    Number.isInteger(maxNewTokens) && maxNewTokens > 0,
    'maxNewTokens',
    maxNewTokens,
    'an integer above 0',
  );
  demand(temperature >= 0 && Number.isFinite(temperature), 'temperature', temperature, '0 (greedy) or more');
  demand(topP > 0 && topP <= 1, 'topP', topP, 'above 0 and at most 1 (off)');
  demand(Number.isInteger(topK) && topK >= 0, 'topK', topK, '0 (off) or a positive integer');
}

/**
 * Probabilities of the next token, before `topK` and `topP`.
 * @param logits `[B, V]`
 * @param temperature 0 (greedy) counts as 1
 * @returns `[B, V]`
 */
export function nextTokenProbabilities(logits: Tensor, temperature: number): Tensor {
  return tf.tidy(() => tf.softmax(temperature === 0 ? logits : tf.div(logits, temperature)));
}

/**
 * Draws a token: keep the `topK` most likely, of those the smallest set with probability `topP`, renormalise, invert
 * the cumulative distribution at `uniform`. Temperature 0 takes the most likely token, the smaller id if two are.
 * Throws when the probabilities are not numbers.
 * @param probabilities `[V]`, at the temperature of `params`
 * @param uniform in [0, 1)
 */
export function drawToken(probabilities: Float32Array, params: SamplingParams, uniform: number): Draw {
  const greedy = params.temperature === 0;
  const weights = greedy ? probabilities : filtered(probabilities, params);
  const total = sum(weights);
  if (!(total > 0))
    throw new Error(
      'The logits are not finite: the weights are damaged, or training diverged. Go back to an earlier checkpoint.',
    );
  const token = greedy ? argmax(weights) : invertCumulative(weights, uniform * total);
  return { token, logprob: Math.log(weights[token]! / total) };
}

/** The probabilities with 0 for what `topK` and `topP` exclude. */
function filtered(probabilities: Float32Array, { topK = 0, topP = 1 }: SamplingParams): Float32Array {
  if (topK === 0 && topP === 1) return probabilities;
  const byProbability = Uint32Array.from(probabilities.keys()).sort(
    (a, b) => probabilities[b]! - probabilities[a]! || a - b,
  );
  const candidates = byProbability.subarray(0, topK || probabilities.length);
  const wanted = topP * candidates.reduce((total, id) => total + probabilities[id]!, 0);
  const kept = new Float32Array(probabilities.length);
  let mass = 0;
  for (const id of candidates) {
    if (mass >= wanted) break;
    kept[id] = probabilities[id]!;
    mass += probabilities[id]!;
  }
  return kept;
}

function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}

function invertCumulative(weights: Float32Array, threshold: number): number {
  let cumulative = 0;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    cumulative += weights[i]!;
    if (cumulative > threshold) return i;
    last = i;
  }
  return last;
}

function sum(values: Float32Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
