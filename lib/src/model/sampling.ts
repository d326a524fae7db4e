/** Drawing one token from logits. */
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
 * Draws a token: divide by the temperature, keep the `topK` most likely, of those the smallest set with probability
 * `topP`, renormalise, invert the cumulative distribution at `uniform`. Temperature 0 takes the most likely token, the
 * smaller id if two are.
 * Throws when the logits are not finite.
 * @param logits `[V]`
 * @param uniform in [0, 1)
 */
export function drawToken(logits: Float32Array, params: SamplingParams, uniform: number): Draw {
  const best = argmax(logits);
  const greedy = params.temperature === 0;
  const weights = boltzmannWeights(logits, logits[best]!, greedy ? 1 : params.temperature);
  if (!greedy) filterWeights(weights, params);
  const total = sum(weights);
  if (!(total >= 1))
    throw new Error(
      'The logits are not finite: the weights are damaged, or training diverged. Go back to an earlier checkpoint.',
    );
  const token = greedy ? best : invertCumulative(weights, uniform * total);
  return { token, logprob: Math.log(weights[token]! / total) };
}

function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}

/** `exp((logit − highest) / temperature)`: the most likely token weighs 1. */
function boltzmannWeights(logits: Float32Array, highest: number, temperature: number): Float64Array {
  const weights = new Float64Array(logits.length);
  for (let i = 0; i < logits.length; i++) weights[i] = Math.exp((logits[i]! - highest) / temperature);
  return weights;
}

/** Sets to 0 what `topK` and `topP` exclude. */
function filterWeights(weights: Float64Array, { topK = 0, topP = 1 }: SamplingParams): void {
  if (topK === 0 && topP === 1) return;
  const byWeight = Uint32Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
  const candidates = byWeight.subarray(0, topK || weights.length);
  const wanted = topP * candidates.reduce((total, id) => total + weights[id]!, 0);
  let kept = 0;
  for (let mass = 0; kept < candidates.length && mass < wanted; kept++) mass += weights[candidates[kept]!]!;
  for (const id of byWeight.subarray(kept)) weights[id] = 0;
}

function invertCumulative(weights: Float64Array, threshold: number): number {
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

function sum(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
