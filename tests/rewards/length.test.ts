import { describe, expect, it } from 'vitest';
import { repetitionPenalty, softOverlongPunishment } from 'posttrain/rewards';

describe('soft overlong punishment', () => {
  it.each([
    [70, 0],
    [80, 0],
    [90, -0.5],
    [100, -1],
    [110, -1],
  ])('of %d tokens, with 20 of 100 as warning, is %d (E6)', (length, punishment) =>
    expect(softOverlongPunishment(length, 100, 20)).toBe(punishment),
  );

  it('is all or nothing without a warning', () => {
    expect(softOverlongPunishment(100, 100, 0)).toBe(0);
    expect(softOverlongPunishment(101, 100, 0)).toBe(-1);
  });
});

describe('repetition penalty', () => {
  it.each([
    [[5, 5, 5, 5, 5], -0.75],
    [[1, 2, 3, 4], 0],
    [[1, 2, 1, 2], -1 / 3],
    [[1], 0],
    [[], 0],
  ])('of %j with pairs is %d (E6)', (tokens, penalty) =>
    expect(repetitionPenalty(tokens, 2)).toBeCloseTo(penalty, 9),
  );

  it('does not take 1 23 for 12 3', () => expect(repetitionPenalty([1, 23, 12, 3], 2)).toBe(0));
});
