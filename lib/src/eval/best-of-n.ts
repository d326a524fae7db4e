/** What Best-of-N is worth and how far it goes, from samples that were drawn once. */

/**
 * KL(best of n ‖ policy) in nats: `ln n − (n − 1)/n`, whatever the policy and the score. Exact when no two replies have the same
 * score (a continuous policy), else an upper bound: ties make the choice less of one.
 *
 * Source: Stiennon et al. 2020, arXiv 2009.01325, appendix G.3; Beirami et al. 2024, arXiv 2401.01879, theorem 1.
 *
 * @throws RangeError unless n is an integer of at least 1.
 */
export function bestOfNKL(n: number): number {
  if (!(Number.isInteger(n) && n >= 1)) throw new RangeError(`n is ${n}, expected an integer ≥ 1.`);
  return Math.log(n) - (n - 1) / n;
}

/** One sample of a task. */
export interface ScoredSample {
  /** What the best is chosen by. */
  readonly score: number;
  /** What it is worth: the score itself, or a reward the score is only a proxy of. */
  readonly value: number;
}

/**
 * Expected value of the best of `n` out of `N ≥ n` samples of a task, over all `C(N, n)` ways to draw them: one set of samples gives
 * the whole curve over n, without bias. In order of the score the i-th (from 1) is the best of `C(i − 1, n − 1)` draws; samples of equal
 * score share theirs.
 *
 * Source: Nakano et al. 2021, arXiv 2112.09332, appendix I.
 *
 * @throws RangeError unless `1 ≤ n ≤ N` and all numbers are finite.
 */
export function expectedBestOfN(samples: readonly ScoredSample[], n: number): number {
  const count = samples.length;
  if (!(Number.isInteger(n) && n >= 1 && n <= count))
    throw new RangeError(`Best-of-n needs 1 ≤ n ≤ samples, got n = ${n} of ${count} samples.`);
  if (!samples.every(({ score, value }) => Number.isFinite(score) && Number.isFinite(value)))
    throw new RangeError(
      'Best-of-n needs finite scores and values; leave out samples that could not be scored.',
    );
  const scores = samples.map(({ score }) => score);
  let expected = 0;
  for (const score of new Set(scores)) {
    const equal = samples.filter((sample) => sample.score === score);
    const below = scores.filter((other) => other < score).length;
    const share = noneAbove(below + equal.length, count, n) - noneAbove(below, count, n);
    expected += (share * equal.reduce((sum, { value }) => sum + value, 0)) / equal.length;
  }
  return expected;
}

/** Probability that all of `n` draws out of `count`, without putting back, are among the `lowest`. */
function noneAbove(lowest: number, count: number, n: number): number {
  let probability = 1;
  for (let drawn = 0; drawn < n; drawn += 1) probability *= Math.max(0, lowest - drawn) / (count - drawn);
  return probability;
}
