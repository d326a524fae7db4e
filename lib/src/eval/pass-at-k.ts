/**
 * Probability that at least one of `k` samples succeeds, estimated without bias from `samples ≥ k` of which `correct`
 * succeeded: `1 − C(n−c, k) / C(n, k)` (Chen et al. 2021, arXiv 2107.03374, eq. 1).
 *
 * @throws RangeError unless `1 ≤ k ≤ samples` and `0 ≤ correct ≤ samples`, all integers.
 */
export function passAtK(samples: number, correct: number, k: number): number {
  const integers = [samples, correct, k].every(Number.isInteger);
  if (!integers || k < 1 || k > samples || correct < 0 || correct > samples) {
    throw new RangeError(
      `pass@k needs integers with 1 ≤ k ≤ samples and 0 ≤ correct ≤ samples, got k = ${k}, ${correct} correct of ${samples}.`,
    );
  }
  let allFail = 1;
  for (let drawn = 0; drawn < k; drawn += 1)
    allFail *= Math.max(0, samples - correct - drawn) / (samples - drawn);
  return 1 - allFail;
}
