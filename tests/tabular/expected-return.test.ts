import { describe, expect, it } from 'vitest';
import { expectedReturns } from 'posttrain/tabular';
import { corridor } from './corridor.js';

describe('expected returns', () => {
  it('add up what is likely, move by move, and nothing after the end', () => {
    // two rooms to go: right, right is a quarter
    const uniform = (): number[] => [0.5, 0.5];
    expect(expectedReturns(corridor(2), uniform, 3)).toEqual([0, 0.25, 0.375]);
    expect(expectedReturns(corridor(1), () => [0, 1], 4)).toEqual([1, 1, 1, 1]);
    expect(expectedReturns(corridor(1), () => [0, 1], 0)).toEqual([]);
  });

  it('need a process without chance', () => {
    const lottery = corridor(2);
    const drawing: typeof lottery = {
      ...lottery,
      step: (state, action, random) => ({ ...lottery.step(state, action, random), reward: random.uniform() }),
    };
    expect(() => expectedReturns(drawing, () => [0.5, 0.5], 1)).toThrow(/Turn its chance off/);
  });
});
