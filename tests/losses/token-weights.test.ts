import { describe, expect, it } from 'vitest';
import { lossTypes, tokenWeights } from 'posttrain/losses/token-weights';

const ones = (length: number): Uint8Array => new Uint8Array(length).fill(1);
const total = (weights: readonly Float32Array[], losses: readonly number[]): number =>
  weights.reduce(
    (sum, stream, row) => sum + stream.reduce((inner, w) => inner + w * (losses[row] as number), 0),
    0,
  );

describe('token weights', () => {
  it('gives 100 tokens of loss .5 and 900 of loss .3 the published means', () => {
    const masks = [ones(100), ones(900)];
    expect(total(tokenWeights(masks, 'dapo', 1000), [0.5, 0.3])).toBeCloseTo(0.32, 5);
    expect(total(tokenWeights(masks, 'bnpo', 1000), [0.5, 0.3])).toBeCloseTo(0.32, 5);
    expect(total(tokenWeights(masks, 'grpo', 1000), [0.5, 0.3])).toBeCloseTo(0.4, 5);
    expect(total(tokenWeights(masks, 'dr_grpo', 1000), [0.5, 0.3])).toBeCloseTo(0.16, 5);
  });

  it('takes masked sequences out of the denominator, not only out of the sum', () => {
    expect(total(tokenWeights([ones(4), new Uint8Array(6)], 'dapo', 10), [1, 1])).toBeCloseTo(1, 6);
  });

  it('is all zero, never NaN, when every token is masked', () => {
    for (const lossType of lossTypes) {
      expect(tokenWeights([new Uint8Array(3)], lossType, 10)).toEqual([new Float32Array(3)]);
    }
  });

  it('punishes long wrong answers less per token with grpo, equally with dr_grpo', () => {
    const [short, long] = tokenWeights([ones(10), ones(100)], 'grpo', 100);
    expect(short?.[0]).toBeCloseTo(0.1 / 2, 6);
    expect(long?.[0]).toBeCloseTo(0.01 / 2, 6);
    const [shortConstant, longConstant] = tokenWeights([ones(10), ones(100)], 'dr_grpo', 100);
    expect(shortConstant?.[0]).toBe(longConstant?.[0]);
  });

  it('turns each mean into what an engine that sums token losses must be given (C10)', () => {
    const masks = [ones(4), ones(6)];
    const perToken = (lossType: 'dapo' | 'grpo' | 'dr_grpo'): number[] =>
      tokenWeights(masks, lossType, 20).map((weights) => weights[0] as number);
    expect(perToken('dapo')).toEqual([1 / 10, 1 / 10].map(Math.fround));
    expect(perToken('grpo')).toEqual([1 / (2 * 4), 1 / (2 * 6)].map(Math.fround));
    expect(perToken('dr_grpo')).toEqual([1 / (2 * 20), 1 / (2 * 20)].map(Math.fround));
  });
});
