// Draws one token a row from its logits: the softmax, what topK and topP leave of it, and the inverse of its cumulative
// distribution at a given uniform number. The same arithmetic, in the same order, as drawToken in src/tensor/draw-token.ts.
import { softmax } from './softmax';

/** Digits of the sort by probability: 11 bits at a time. */
const DIGITS: i32 = 2048;
const DIGIT_BITS: i32 = 11;

/** Bytes to work in: probabilities, the kept ones, two lists of ids, and a counter a digit. */
export function sampleScratch(vocab: i32): usize {
  return (4 * <usize>vocab + <usize>DIGITS) * 4;
}

function at(list: usize, index: i32): usize {
  return list + ((<usize>index) << 2);
}

/** Σ of `n` floats in double precision, first to last. */
function sumInOrder(x: usize, n: i32): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < n; i++) sum += <f64>load<f32>(at(x, i));
  return sum;
}

/** The digit by which larger probabilities come first: the bits of floats that are not negative are in their order. */
function digitOf(probabilities: usize, id: i32, shift: i32): i32 {
  return DIGITS - 1 - ((load<i32>(at(probabilities, id)) >> shift) & (DIGITS - 1));
}

/** One pass of a radix sort, which keeps the order of equal digits. `from` 0 stands for the ids in order. */
function sortPass(probabilities: usize, n: i32, shift: i32, from: usize, to: usize, counts: usize): void {
  memory.fill(counts, 0, <usize>DIGITS * 4);
  for (let i = 0; i < n; i++) {
    const count = at(counts, digitOf(probabilities, i, shift));
    store<i32>(count, load<i32>(count) + 1);
  }
  let before = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = load<i32>(at(counts, digit));
    store<i32>(at(counts, digit), before);
    before += count;
  }
  for (let i = 0; i < n; i++) {
    const id = from == 0 ? i : load<i32>(at(from, i));
    const place = at(counts, digitOf(probabilities, id, shift));
    const index = load<i32>(place);
    store<i32>(at(to, index), id);
    store<i32>(place, index + 1);
  }
}

/** Ids by falling probability into `ids`, the smaller of two equals first. */
function sortIds(probabilities: usize, n: i32, ids: usize, other: usize, counts: usize): void {
  sortPass(probabilities, n, 0, 0, ids, counts);
  sortPass(probabilities, n, DIGIT_BITS, ids, other, counts);
  sortPass(probabilities, n, 2 * DIGIT_BITS, other, ids, counts);
}

/** The probabilities with 0 for what is not among the `topK` first or, of those, beyond the mass `topP`. */
function keepMostLikely(
  probabilities: usize,
  kept: usize,
  n: i32,
  topK: i32,
  topP: f64,
  ids: usize,
  other: usize,
  counts: usize,
): void {
  sortIds(probabilities, n, ids, other, counts);
  const candidates = topK == 0 ? n : min(topK, n);
  let all: f64 = 0;
  for (let i = 0; i < candidates; i++) all += <f64>load<f32>(at(probabilities, load<i32>(at(ids, i))));
  const wanted = topP * all;
  memory.fill(kept, 0, <usize>n * 4);
  let mass: f64 = 0;
  for (let i = 0; i < candidates && !(mass >= wanted); i++) {
    const id = load<i32>(at(ids, i));
    const probability = load<f32>(at(probabilities, id));
    store<f32>(at(kept, id), probability);
    mass += <f64>probability;
  }
}

function mostLikely(weights: usize, n: i32): i32 {
  let best = 0;
  for (let i = 1; i < n; i++) if (load<f32>(at(weights, i)) > load<f32>(at(weights, best))) best = i;
  return best;
}

/** The first id whose cumulative weight exceeds the threshold; the last possible one when rounding leaves none. */
function invertCumulative(weights: usize, n: i32, threshold: f64): i32 {
  let cumulative: f64 = 0;
  let last = 0;
  for (let i = 0; i < n; i++) {
    const weight = load<f32>(at(weights, i));
    if (weight == 0) continue;
    cumulative += <f64>weight;
    if (cumulative > threshold) return i;
    last = i;
  }
  return last;
}

/**
 * For each of `count` rows of `logits [·, vocab]`, listed in `rows`: a token, -1 where the logits are not finite, and the share
 * it has in what was drawn from. `uniforms` and `shares` are double precision. Temperature 0 takes the most likely token.
 */
export function sampleTokens(
  logits: usize,
  rows: usize,
  uniforms: usize,
  tokens: usize,
  shares: usize,
  count: i32,
  vocab: i32,
  temperature: f32,
  topK: i32,
  topP: f64,
  scratch: usize,
): void {
  const size = <usize>vocab * 4;
  const probabilities = scratch;
  const kept = probabilities + size;
  const ids = kept + size;
  const other = ids + size;
  const counts = other + size;
  const greedy = temperature == 0;
  const filtered = !greedy && (topK > 0 || topP < 1);
  for (let i = 0; i < count; i++) {
    softmax(logits + <usize>load<i32>(at(rows, i)) * size, probabilities, vocab, greedy ? 1 : temperature);
    let weights = probabilities;
    if (filtered) {
      keepMostLikely(probabilities, kept, vocab, topK, topP, ids, other, counts);
      weights = kept;
    }
    const total = sumInOrder(weights, vocab);
    const uniform = load<f64>(uniforms + ((<usize>i) << 3));
    let token = -1;
    if (total > 0)
      token = greedy ? mostLikely(weights, vocab) : invertCumulative(weights, vocab, uniform * total);
    store<i32>(at(tokens, i), token);
    const share = token < 0 ? 0 : <f64>load<f32>(at(weights, token)) / total;
    store<f64>(shares + ((<usize>i) << 3), share);
  }
}
