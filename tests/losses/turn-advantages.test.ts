import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from 'posttrain/losses/advantages';
import { discountedReturns, spreadOverTurns, turnAdvantages } from 'posttrain/losses/turn-advantages';

describe('turn-level advantages', () => {
  const centred = (gamma: number) => ({ gamma, scaleRewards: 'none' as const });

  it('credit the turn that was rewarded, or those before it too', () => {
    const group = [
      [0, 1, 0],
      [0, 0, 0],
    ];
    expect(turnAdvantages([group], centred(0))).toEqual([
      [
        [0, 0.5, 0],
        [0, -0.5, 0],
      ],
    ]);
    expect(turnAdvantages([group], centred(1))[0]![0]).toEqual([0.5, 0.5, 0]);
    expect(turnAdvantages([group], centred(0.5))[0]![0]).toEqual([0.25, 0.5, 0]);
  });

  it('divide by the deviation of that turn alone', () => {
    const [first, second] = turnAdvantages(
      [
        [
          [1, 10],
          [0, 0],
        ],
      ],
      { gamma: 0, scaleRewards: 'group' },
    )[0]!;
    expect(first![0]).toBeCloseTo(0.5 / (Math.SQRT1_2 + 1e-4), 6);
    expect(first![1]).toBeCloseTo(5 / (10 * Math.SQRT1_2 + 1e-4), 6);
    expect(second).toEqual(first!.map((a) => -a));
  });

  it('compare only episodes that reached the turn', () => {
    expect(turnAdvantages([[[0, 2, 7], [0, 0], [3]]], centred(0))).toEqual([[[-1, 1, 0], [-1, -1], [2]]]);
  });

  it('are GRPO’s when there is one turn', () => {
    const reward = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(fc.array(reward, { minLength: 1, maxLength: 6 }), (rewards) => {
        const turns = turnAdvantages([rewards.map((r) => [r])], { gamma: 1, scaleRewards: 'group' });
        expect(turns[0]!.flat()).toEqual(groupAdvantages([rewards]).advantages[0]);
      }),
    );
  });

  it('sum what follows', () => {
    expect(discountedReturns([1, 2, 3], 0.5)).toEqual([2.75, 3.5, 3]);
    expect(discountedReturns([], 0.5)).toEqual([]);
  });

  it('stand on the tokens of their turns, and on no others', () => {
    const turns = [
      { start: 1, end: 3 },
      { start: 5, end: 6 },
    ];
    expect(spreadOverTurns([0.5, -2], turns, 7)).toEqual(Float32Array.from([0, 0.5, 0.5, 0, 0, -2, 0]));
  });
});
