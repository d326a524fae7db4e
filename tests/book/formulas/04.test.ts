import { describe, expect, it } from 'vitest';
import { costOf } from 'posttrain/remote/budget';

/** The probability that at least one of `count` replies succeeds. */
const atLeastOne = (p: number, count: number): number => 1 - (1 - p) ** count;

describe('chapter 4', () => {
  it('example-first-success', () => {
    expect(atLeastOne(0.1, 8)).toBeCloseTo(0.57, 2);
    expect(atLeastOne(0.01, 8)).toBeCloseTo(0.077, 3);
    expect(atLeastOne(0.001, 8)).toBeCloseTo(0.008, 3);
    expect(atLeastOne(0, 8)).toBe(0);
    expect(0.9 ** 80).toBeCloseTo(0.0002, 4);
  });

  it('example-survivors', () => {
    expect(3.6 / 4).toBeCloseTo(0.9, 12);
    expect(atLeastOne(0.9, 4)).toBeCloseTo(0.9999, 4);
    expect(atLeastOne(0.1, 4)).toBeCloseTo(0.34, 2);
    const shareOfEasy = (answers: number): number =>
      atLeastOne(0.9, answers) / (atLeastOne(0.9, answers) + atLeastOne(0.1, answers));
    expect(shareOfEasy(4)).toBeCloseTo(0.74, 2);
    expect(shareOfEasy(16)).toBeCloseTo(0.55, 2);
  });

  it('eq-cost', () => {
    const [answers, prompt, completion] = [4000, 900, 250];
    const byHand = (answers * (prompt * 0.5 + completion * 3)) / 1e6;
    const usage = {
      promptTokens: answers * prompt,
      completionTokens: answers * completion,
      reasoningTokens: 0,
    };
    expect(costOf(usage, { prompt: 0.5, completion: 3 })).toBeCloseTo(byHand, 12);
  });

  it('example-collection', () => {
    const bill = (completion: number): number => (4000 * (900 * 0.5 + completion * 3)) / 1e6;
    expect(bill(250)).toBeCloseTo(4.8, 12);
    expect(bill(2250)).toBeCloseTo(28.8, 12);
    expect(bill(250) / (0.6 * 4000)).toBeCloseTo(0.002, 12);
  });

  it('exercise how-often-is-once', () => {
    const group = atLeastOne(1 / 500, 8);
    expect(group).toBeCloseTo(0.0159, 4);
    expect(Math.round(1 / group)).toBe(63);
    expect(Math.ceil(Math.log(0.5) / Math.log(0.998))).toBe(347);
  });

  it('exercise price-of-a-kept-answer', () => {
    expect(0.004 / 0.8).toBeCloseTo(0.005, 12);
    expect(0.001 / 0.3).toBeCloseTo(0.0033, 4);
    expect(0.001 / (0.004 / 0.6)).toBeCloseTo(0.15, 12);
  });

  it('exercise where-filtering-ends', () => {
    const precision = (wrong: number): number => (1 - wrong) / (1 - wrong + 0.1 * wrong);
    expect(precision(0.1 / 0.19)).toBeCloseTo(0.9, 12);
    expect(0.1 / 0.19).toBeCloseTo(0.53, 2);
  });

  it('a split by answers leaks nineteen of twenty test rows and more', () => {
    expect(1 - 0.2 * 0.2).toBeCloseTo(0.96, 12);
  });
});
