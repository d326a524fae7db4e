import { overSeeds } from 'posttrain/eval';
import { addScore, softmax } from 'posttrain/tabular';
import { describe, expect, it } from 'vitest';

const logits = [2, 1, 0];
const rewards = [1, 0.5, 0];
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const expected = (z: readonly number[]): number => sum(softmax(z).map((p, i) => p * rewards[i]!));

describe('formulas of chapter 0', () => {
  it('eq-seeds', () => {
    const values = [50, 55, 57];
    const mean = sum(values) / 3;
    const spread = Math.sqrt(sum(values.map((x) => (x - mean) ** 2)) / 2);
    const half = (4.303 * spread) / Math.sqrt(3);
    expect(overSeeds(values)).toMatchObject({ mean, min: 50, max: 57 });
    expect(overSeeds(values).low).toBeCloseTo(mean - half, 10);
    expect(overSeeds(values).high).toBeCloseTo(mean + half, 10);
  });

  it('eq-softmax', () => {
    const weights = logits.map(Math.exp);
    softmax(logits).forEach((p, i) => expect(p).toBeCloseTo(weights[i]! / sum(weights), 12));
  });

  it('eq-expectation', () => {
    expect(expected(logits)).toBeCloseTo(0.665 + 0.245 * 0.5, 3);
  });

  it('eq-score', () => {
    const gradient = [0, 0, 0];
    addScore(gradient, softmax(logits), 0, 1);
    softmax(logits).forEach((p, i) => expect(gradient[i]).toBeCloseTo((i === 0 ? 1 : 0) - p, 12));
    expect(gradient[1]).toBeCloseTo(
      numeric((z) => Math.log(softmax(z)[0]!), 1),
      6,
    );
  });

  it('eq-expected-gradient', () => {
    softmax(logits).forEach((p, i) =>
      expect(p * (rewards[i]! - expected(logits))).toBeCloseTo(numeric(expected, i), 6),
    );
  });
});

describe('examples of chapter 0', () => {
  it('example-three-runs', () => {
    const { mean, low, high } = overSeeds([50, 55, 57]);
    expect(mean).toBe(54);
    expect(low).toBeCloseTo(45, 0);
    expect(high).toBeCloseTo(63, 0);
    expect((4.303 * 3.61) / Math.sqrt(3)).toBeCloseTo(8.97, 2);
  });

  it('example-three-logits', () => {
    expect(logits.map((z) => Number(Math.exp(z).toFixed(3)))).toEqual([7.389, 2.718, 1]);
    expect(softmax(logits).map((p) => Number(p.toFixed(3)))).toEqual([0.665, 0.245, 0.09]);
  });

  it('example-chain', () => {
    expect(0.9 ** 100).toBeCloseTo(0.0000266, 7);
    expect(Math.exp(0.01)).toBeCloseTo(1.01, 3);
  });

  it('exercise-softmax-by-hand', () => {
    const at = (T: number): number => softmax([Math.log(3) / T, 0])[0]!;
    expect([at(1), at(0.5), at(2)].map((p) => Number(p.toFixed(3)))).toEqual([0.75, 0.9, 0.634]);
  });

  it('exercise-how-many-samples', () => {
    expect(Math.sqrt(0.25 / 2500)).toBeCloseTo(0.01, 12);
    expect(Math.sqrt(0.25 / 250_000)).toBeCloseTo(0.001, 12);
  });

  it('quiz-three-seeds', () => {
    const half = (values: number[]): number => overSeeds(values).high! - overSeeds(values).mean;
    expect(half([50, 55, 57])).toBeCloseTo(9, 0);
    expect(half([54, 58, 59])).toBeCloseTo(6.6, 1);
  });
});

function numeric(f: (z: readonly number[]) => number, i: number): number {
  const at = (by: number): number => f(logits.map((z, j) => (i === j ? z + by : z)));
  return (at(1e-5) - at(-1e-5)) / 2e-5;
}
