import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestOfNKL, expectedBestOfN, type ScoredSample } from 'posttrain/eval';

describe('KL of best-of-n', () => {
  it('is ln n − (n − 1)/n', () => {
    expect(bestOfNKL(1)).toBe(0);
    expect(bestOfNKL(2)).toBeCloseTo(0.193147, 6);
    expect(bestOfNKL(64)).toBeCloseTo(3.174508, 6);
  });

  it('is the divergence itself when all replies differ, and a bound when many are equal', () => {
    /** Of `count` equally likely replies in order of their score the i-th wins with `(i/count)ⁿ − ((i−1)/count)ⁿ`. */
    const divergence = (count: number, n: number): number => {
      const wins = Array.from({ length: count }, (_, i) => ((i + 1) / count) ** n - (i / count) ** n);
      return wins.reduce((sum, p) => sum + (p === 0 ? 0 : p * Math.log(p * count)), 0);
    };
    for (const n of [2, 4, 16]) {
      expect(divergence(20_000, n)).toBeCloseTo(bestOfNKL(n), 2);
      expect(divergence(3, n)).toBeLessThan(bestOfNKL(n));
    }
  });

  it.each([0, -1, 1.5, NaN])('refuses n = %d', (n) =>
    expect(() => bestOfNKL(n)).toThrow(/expected an integer ≥ 1/),
  );
});

describe('expected best of n', () => {
  const sample = fc.record({ score: fc.integer({ min: 0, max: 4 }), value: fc.integer({ min: -5, max: 5 }) });

  /** Over all subsets of n; of equal best ones the mean. */
  function enumerated(samples: readonly ScoredSample[], n: number): number {
    const subsets = (from: number, size: number): ScoredSample[][] =>
      size === 0
        ? [[]]
        : samples.flatMap((each, i) =>
            i < from ? [] : subsets(i + 1, size - 1).map((rest) => [each, ...rest]),
          );
    const values = subsets(0, n).map((subset) => {
      const highest = Math.max(...subset.map(({ score }) => score));
      const best = subset.filter(({ score }) => score === highest);
      return best.reduce((sum, { value }) => sum + value, 0) / best.length;
    });
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  it('is the mean over all draws', () =>
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 7 }), fc.nat(6), (samples, more) => {
        const n = 1 + (more % samples.length);
        expect(expectedBestOfN(samples, n)).toBeCloseTo(enumerated(samples, n), 9);
      }),
    ));

  it('is the mean for n = 1 and the best for all, and falls when the score misleads', () => {
    const proxy = [1, 2, 3, 4].map((score) => ({ score, value: -score }));
    expect(expectedBestOfN(proxy, 1)).toBeCloseTo(-2.5, 12);
    expect(expectedBestOfN(proxy, 2)).toBeCloseTo(-(2 + 3 * 2 + 4 * 3) / 6, 12);
    expect(expectedBestOfN(proxy, 4)).toBeCloseTo(-4, 12);
  });

  it('refuses more than there are, and scores that are none', () => {
    expect(() => expectedBestOfN([{ score: 1, value: 1 }], 2)).toThrow(/n = 2 of 1 samples/);
    expect(() => expectedBestOfN([{ score: NaN, value: 1 }], 1)).toThrow(/finite scores/);
  });
});
