import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  baselineAdvantages,
  batchAdvantages,
  combineRewards,
  groupAdvantages,
  leaveOneOutAdvantages,
  standardDeviation,
} from 'posttrain/losses/advantages';

const close = (actual: readonly number[] | undefined, expected: readonly number[], digits = 4): void => {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, index) => expect(actual?.[index]).toBeCloseTo(value, digits));
};

describe('group advantages', () => {
  it('divides by the sample standard deviation plus 1e-4 (TRL), or only centres (Dr. GRPO) (A3, A9)', () => {
    close(groupAdvantages([[1, 0, 0, 0]]).advantages[0], [1.4997, -0.4999, -0.4999, -0.4999]);
    close(groupAdvantages([[1, 0, 0, 0]], 'none').advantages[0], [0.75, -0.25, -0.25, -0.25]);
    close(groupAdvantages([[1, 1, 0]], 'none').advantages[0], [1 / 3, 1 / 3, -2 / 3]);
  });

  it('scales each group by its own deviation, or all by the deviation of the batch (A4)', () => {
    const groups = [
      [1, 0, 1, 0],
      [10, 0, 10, 0],
    ];
    const own = groupAdvantages(groups);
    close(own.stds, [0.57735, 5.7735]);
    close(own.advantages[0], [0.86588, -0.86588, 0.86588, -0.86588], 5);
    close(own.advantages[1], [0.86601, -0.86601, 0.86601, -0.86601], 5);
    const batchStd = standardDeviation(groups.flat());
    const batch = groupAdvantages(groups, 'batch');
    expect(batch.advantages[0]?.[0]).toBeCloseTo(0.5 / (batchStd + 1e-4), 9);
    expect(batch.advantages[1]?.[0]).toBeCloseTo(5 / (batchStd + 1e-4), 9);
  });

  it('makes no signal out of rounding (A5)', () => {
    const f = Math.fround;
    const { advantages, constant } = groupAdvantages([
      [f(f(0.3) + f(0.6)), f(0.9), f(0.9), f(0.9)],
      [f(f(0.1) + f(0.2)), f(0.3), f(0.3), f(0.3)],
    ]);
    expect(advantages).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    expect(constant).toEqual([true, true]);
  });

  it('finds a group constant when its rewards cancel each other (A2)', () => {
    const rewards = [
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ];
    expect(groupAdvantages([combineRewards(rewards, [1, 1])]).constant).toEqual([true]);
    expect(groupAdvantages([combineRewards(rewards, [1, 0.5])]).constant).toEqual([false]);
  });

  it('keeps unscorable samples out of the baseline (A8)', () => {
    const rewards = combineRewards(
      [
        [1, null],
        [null, 0.5],
        [null, null],
        [0, null],
      ],
      [1, 1],
    );
    expect(rewards).toEqual([1, 0.5, null, 0]);
    close(groupAdvantages([rewards], 'none').advantages[0], [0.5, 0, 0, -0.5]);
  });

  it('does not mix groups that look alike (A9b)', () => {
    expect(
      groupAdvantages([
        [1, 1],
        [0, 0],
      ]).advantages,
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('sums to zero in every group, whatever the rewards', () => {
    const reward = fc.option(fc.double({ min: -5, max: 5, noNaN: true }), { nil: null });
    const groups = fc.array(fc.array(reward, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(groups, fc.constantFrom('group', 'batch', 'none'), (rewards, scale) => {
        for (const group of groupAdvantages(rewards, scale as 'group').advantages) {
          expect(group.every(Number.isFinite)).toBe(true);
          expect(group.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 6);
        }
      }),
    );
  });
});

describe('leave-one-out advantages', () => {
  it('compares each sample with the mean of the others (A3)', () => {
    close(leaveOneOutAdvantages([[1, 0, 0, 0]])[0], [1, -1 / 3, -1 / 3, -1 / 3], 9);
    expect(
      leaveOneOutAdvantages([
        [1, null],
        [null, null],
      ]),
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('advantages without groups', () => {
  it('subtract a baseline', () => {
    expect(baselineAdvantages([1, 0, null], 0.25)).toEqual([0.75, -0.25, 0]);
    expect(baselineAdvantages([1, 0], 0)).toEqual([1, 0]);
  });

  it('compare with the batch, dividing by its deviation or not', () => {
    close(batchAdvantages([1, null, 0, 0, 0]), [1.4997, 0, -0.4999, -0.4999, -0.4999]);
    close(batchAdvantages([1, 0, 0, 0], 'none'), [0.75, -0.25, -0.25, -0.25]);
    close(batchAdvantages([2, 2]), [0, 0]);
  });
});
