import { describe, expect, it } from 'vitest';
import { combineRewards, groupAdvantages } from 'posttrain/losses/advantages';
import { normalizeThenSum } from 'posttrain/losses/multi-objective';

const rows = (...columns: number[][]): number[][] =>
  columns[0]!.map((_, sample) => columns.map((column) => column[sample]!));
const closeTo = (expected: readonly number[]) => expected.map((value) => expect.closeTo(value, 4));

describe('normalize_then_sum', () => {
  it('lets a small reward count as much as a large one (E5)', () => {
    const samples = rows([1, 1, 0, 0], [0.2, 0, 0.2, 0]);
    const plain = groupAdvantages([combineRewards(samples, [1, 1])]).advantages[0];
    expect(plain).toEqual(closeTo([1.0189, 0.6793, -0.6793, -1.0189]));
    const [both, large, small, neither] = normalizeThenSum([samples], [1, 1])[0]!;
    expect(both).toBeCloseTo(-neither!, 6);
    // ±.8659 and ±.8653 before the batch step: what remains of the difference is the floor of the deviation.
    expect(Math.abs(large!)).toBeLessThan(0.001);
    expect(small).toBeCloseTo(-large!, 6);
  });

  it('normalises twice: in the group, then over the batch, with N − 1 (A9c)', () => {
    // Two rewards of ±.7070 add up to ±1.4140, whose deviation is 2.
    expect(normalizeThenSum([rows([1, 0], [1, 0])], [1, 1])[0]).toEqual(closeTo([0.7071, -0.7071]));
  });

  it('finds no signal where two rewards cancel, unless they weigh differently (A2)', () => {
    const samples = rows([1, 0, 1, 0], [0, 1, 0, 1]);
    expect(normalizeThenSum([samples], [1, 1])).toEqual([[0, 0, 0, 0]]);
    expect(normalizeThenSum([samples], [1, 0.5])[0]!.every((a) => Math.abs(a) > 0.5)).toBe(true);
  });

  it('keeps rewards that do not apply out of every mean (A8)', () => {
    const [first, second, unscorable, last] = normalizeThenSum(
      [
        [
          [1, null],
          [null, 0.5],
          [null, null],
          [0, null],
        ],
      ],
      [1, 1],
    )[0]!;
    expect([first, second, unscorable, last]).toEqual(closeTo([0.9999, 0, 0, -0.9999]));
  });

  it('compares sums over the batch', () => {
    const advantages = normalizeThenSum([rows([1, 0]), rows([5, 5])], [1]);
    expect(advantages[1]).toEqual([0, 0]);
    // Sums ±.7070, 0, 0: deviation .5773.
    expect(advantages[0]).toEqual(closeTo([1.2245, -1.2245]));
  });
});
