/** One token from probabilities. */

/** What the distribution is that a token is drawn from. */
export interface DrawTokenOptions {
  /** 0 = greedy. Log-probabilities returned are at this temperature (at 1 when greedy). */
  readonly temperature: number;
  /** Keep the smallest set of most likely tokens with at least this probability; 1 = off, the default. */
  readonly topP?: number;
  /** Keep this many most likely tokens, before `topP`; 0 = off, the default. */
  readonly topK?: number;
}

export interface Draw {
  readonly token: number;
  /** Log-probability under the distribution it was drawn from (at temperature 1, unfiltered, when greedy). */
  readonly logprob: number;
}

export const NOT_FINITE =
  'The logits are not finite: the weights are damaged, or training diverged. Go back to an earlier checkpoint.';

/**
 * Draws a token: keep the `topK` most likely, of those the smallest set with probability `topP`, renormalise, invert
 * the cumulative distribution at `uniform`. Of two equally likely tokens the smaller id counts as more likely.
 * Temperature 0 takes the most likely token. Throws when the probabilities are not numbers.
 * @param probabilities `[V]`, at the temperature of `options`
 * @param uniform in [0, 1)
 */
export function drawToken(probabilities: Float32Array, options: DrawTokenOptions, uniform: number): Draw {
  const greedy = options.temperature === 0;
  const weights = greedy ? probabilities : filtered(probabilities, options);
  const total = sum(weights);
  if (!(total > 0)) throw new Error(NOT_FINITE);
  const token = greedy ? argmax(weights) : invertCumulative(weights, uniform * total);
  return { token, logprob: Math.log(weights[token]! / total) };
}

/** The probabilities with 0 for what `topK` and `topP` exclude. */
function filtered(probabilities: Float32Array, { topK = 0, topP = 1 }: DrawTokenOptions): Float32Array {
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
