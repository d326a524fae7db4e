import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { k3OfToken, klPenalty } from 'posttrain/losses/kl';
import { lossOf, type LossSpec } from 'posttrain/losses/loss';
import { type LossType, tokenWeights } from 'posttrain/losses/token-weights';
import { initBackend } from 'posttrain/tensor/backend';
import { randomStream } from 'posttrain/tensor/random';

interface Fixtures {
  logprobs: number[][];
  old: number[][];
  ref: number[][];
  advantages: number[][];
  mask: number[][];
  maxCompletionLength: number;
  cases: {
    lossType: LossType;
    epsilon: number;
    epsilonHigh: number;
    delta: number | null;
    beta: number;
    loss: number;
    grad: number[][];
  }[];
  nll: { loss: number; grad: number[][] };
}
const fixtures = JSON.parse(readFileSync(new URL('./fixtures.json', import.meta.url), 'utf8')) as Fixtures;

beforeAll(async () => {
  await initBackend({ backend: 'cpu' });
});

interface Case {
  logprobs: number[];
  old?: number[];
  ref?: number[];
  advantages: number[];
  weights: number[];
}

const policyGradient: LossSpec = {
  name: 'policy_gradient',
  epsilon: 0.2,
  epsilonHigh: 0.2,
  delta: null,
  beta: 0,
};

/** Value and gradient with respect to the log-probabilities. */
function evaluate(
  spec: LossSpec,
  { logprobs, old, ref, advantages, weights }: Case,
): { loss: number; grad: number[] } {
  return tf.tidy(() => {
    const { value, grad } = tf.valueAndGrad((x: tf.Tensor) =>
      lossOf(spec, {
        logprobs: x,
        weights: tf.tensor1d(weights),
        advantages: tf.tensor1d(advantages),
        ...(old && { oldLogprobs: tf.tensor1d(old) }),
        ...(ref && { refLogprobs: tf.tensor1d(ref) }),
      }),
    )(tf.tensor1d(logprobs));
    return { loss: value.dataSync()[0] as number, grad: Array.from(grad.dataSync()) };
  });
}

const ratioCase = (ratio: number, advantage: number): Case => ({
  logprobs: [Math.log(ratio)],
  old: [0],
  advantages: [advantage],
  weights: [1],
});

describe('policy gradient', () => {
  it('is 0 with a gradient when an on-policy group is balanced', () => {
    const { loss, grad } = evaluate(policyGradient, {
      logprobs: [-1, -2, -0.5, -3],
      advantages: [1, 1, -1, -1],
      weights: [0.25, 0.25, 0.25, 0.25],
    });
    expect(Math.abs(loss)).toBeLessThan(1e-7);
    expect(grad).toEqual([-0.25, -0.25, 0.25, 0.25]);
  });

  it.each([
    ['clip-higher keeps 1.28 without gradient', { epsilonHigh: 0.28 }, 1.3, 1, -1.28, 0],
    ['a bad token that became likelier is still pushed down', {}, 1.3, -1, 1.3, 1.3],
    ['a bad token that became rarer is left alone', {}, 0.7, -1, 0.8, 0],
    ['without a cap a bad token weighs its ratio', {}, 5, -1, 5, 5],
    ['the dual clip caps it', { delta: 3 }, 5, -1, 3, 0],
  ])('%s', (_, options, ratio, advantage, loss, gradient) => {
    const result = evaluate({ ...policyGradient, ...options }, ratioCase(ratio, advantage));
    expect(result.loss).toBeCloseTo(loss, 5);
    expect(result.grad[0]).toBeCloseTo(gradient, 5);
  });

  it('clips token ratios .55/.5, .36/.4, .3/.2 to 1.1, .9, 1.2', () => {
    const { loss } = evaluate(policyGradient, {
      logprobs: [0.55, 0.36, 0.3].map(Math.log),
      old: [0.5, 0.4, 0.2].map(Math.log),
      advantages: [1, 1, 1],
      weights: [1, 1, 1],
    });
    expect(loss).toBeCloseTo(-(1.1 + 0.9 + 1.2), 5);
  });

  it('is not poisoned by NaN in a masked old log-probability', () => {
    const { loss, grad } = evaluate(policyGradient, {
      logprobs: [0, 0],
      old: [0, NaN],
      advantages: [1, 1],
      weights: [1, 0],
    });
    expect(loss).toBe(-1);
    expect(grad).toEqual([-1, 0]);
  });

  it('has no gradient through a masked log-ratio of 200', () => {
    const { loss, grad } = evaluate(policyGradient, {
      logprobs: [0, 200],
      old: [0, 0],
      advantages: [1, -1],
      weights: [1, 0],
    });
    expect(loss).toBe(-1);
    expect(grad).toEqual([-1, 0]);
  });

  it('says which stream is missing', () => {
    const streams = { logprobs: tf.tensor1d([0]), weights: tf.tensor1d([1]) };
    expect(() => lossOf(policyGradient, streams)).toThrow(/needs the per-token stream `advantages`/);
    expect(() =>
      lossOf({ ...policyGradient, beta: 0.1 }, { ...streams, advantages: tf.tensor1d([1]) }),
    ).toThrow(/refLogprobs/);
    expect(() =>
      lossOf({ ...policyGradient, name: 'sequence_ratio' }, { ...streams, advantages: tf.tensor1d([1]) }),
    ).toThrow(/sequences/);
    tf.dispose(Object.values(streams));
  });
});

describe('every loss', () => {
  const specs: LossSpec[] = [
    { name: 'cross_entropy' },
    policyGradient,
    { ...policyGradient, epsilonHigh: 0.28, delta: 1.5, beta: 0.1 },
  ];
  const number = fc.float({ min: -4, max: 4, noNaN: true });
  const rubbish = fc.constantFrom(NaN, Infinity, -Infinity, 200, -1e30);

  it('ignores whatever stands at masked positions', () => {
    const streams = fc.array(fc.tuple(number, number, number, number, fc.boolean(), rubbish), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(streams, fc.constantFrom(...specs), (rows, spec) => {
        const weights = rows.map((row) => (row[4] ? 0.5 : 0));
        const column = (index: 0 | 1 | 2 | 3, dirty: boolean): number[] =>
          rows.map((row) => (dirty && !row[4] ? row[5] : row[index]));
        const build = (dirty: boolean): Case => ({
          logprobs: column(0, dirty),
          old: column(1, dirty),
          ref: column(2, dirty),
          advantages: column(3, dirty),
          weights,
        });
        const clean = evaluate(spec, build(false));
        const dirty = evaluate(spec, build(true));
        expect(dirty.loss).toBe(clean.loss);
        expect(dirty.grad.map((g) => g + 0)).toEqual(clean.grad.map((g) => g + 0));
        rows.forEach((row, index) => !row[4] && expect(dirty.grad[index]).toBeCloseTo(0, 20));
      }),
    );
  });

  it('moves gradients along when tokens are permuted', () => {
    const rows: Case = {
      logprobs: [-1, -2, -0.3],
      old: [-1.2, -1.5, -0.3],
      ref: [-1, -1, -1],
      advantages: [1, -2, 0.5],
      weights: [0.2, 0.3, 0.5],
    };
    const reversed = Object.fromEntries(
      Object.entries(rows).map(([name, values]) => [name, [...(values as number[])].reverse()]),
    ) as unknown as Case;
    for (const spec of specs) {
      expect(evaluate(spec, reversed).grad).toEqual(evaluate(spec, rows).grad.reverse());
    }
  });
});

describe('parity with PyTorch', () => {
  it.each(fixtures.cases)('$lossType, high $epsilonHigh, delta $delta, beta $beta', (golden) => {
    const masks = fixtures.mask.map((row) => Uint8Array.from(row));
    const weights = tokenWeights(masks, golden.lossType, fixtures.maxCompletionLength).flatMap((row) => [
      ...row,
    ]);
    const { loss, grad } = evaluate(
      {
        name: 'policy_gradient',
        epsilon: golden.epsilon,
        epsilonHigh: golden.epsilonHigh,
        delta: golden.delta,
        beta: golden.beta,
      },
      {
        logprobs: fixtures.logprobs.flat(),
        old: fixtures.old.flat(),
        ref: fixtures.ref.flat(),
        advantages: fixtures.advantages.flat(),
        weights,
      },
    );
    expect(loss).toBeCloseTo(golden.loss, 5);
    golden.grad.flat().forEach((expected, index) => expect(grad[index]).toBeCloseTo(expected, 5));
  });

  it('negative log-likelihood', () => {
    const weights = tokenWeights(
      fixtures.mask.map((row) => Uint8Array.from(row)),
      'dapo',
      0,
    ).flatMap((row) => [...row]);
    const spec: LossSpec = { name: 'cross_entropy' };
    const { loss, grad } = evaluate(spec, {
      logprobs: fixtures.logprobs.flat(),
      advantages: weights,
      weights,
    });
    expect(loss).toBeCloseTo(fixtures.nll.loss, 5);
    fixtures.nll.grad.flat().forEach((expected, index) => expect(grad[index]).toBeCloseTo(expected, 6));
  });
});

describe('KL estimators', () => {
  const estimate = (d: number, estimator: 'k1' | 'k2' | 'k3'): number =>
    tf.tidy(
      () =>
        klPenalty(
          { logprobs: tf.tensor1d([0]), refLogprobs: tf.tensor1d([d]), weights: tf.tensor1d([1]) },
          estimator,
        ).dataSync()[0] as number,
    );

  it('has the closed-form values', () => {
    expect(estimate(-0.5, 'k3')).toBeCloseTo(0.106531, 5);
    expect(estimate(0.5, 'k3')).toBeCloseTo(0.148721, 5);
    expect(estimate(0, 'k3')).toBe(0);
    expect(estimate(0.5, 'k1')).toBe(-0.5);
    expect(estimate(-0.5, 'k2')).toBeCloseTo(0.125, 6);
  });

  it('stays finite however far the reference is, and says that it clamped', () => {
    expect(estimate(200, 'k3')).toBe(10);
    expect(estimate(-200, 'k3')).toBe(10);
    expect(k3OfToken(0, 200)).toEqual({ value: 10, clamped: true });
    expect(k3OfToken(0, 0.5).clamped).toBe(false);
    expect(k3OfToken(0, 0.5).value).toBeCloseTo(estimate(0.5, 'k3'), 6);
  });

  it('is unbiased as k1 and k3, though single k1 values are negative and k3 never is', () => {
    const p = [0.5, 0.3, 0.2];
    const q = [0.4, 0.4, 0.2];
    const exact = p.reduce((sum, pi, i) => sum + pi * Math.log(pi / (q[i] as number)), 0);
    const random = randomStream(1, 'kl');
    const draws = Array.from({ length: 100_000 }, () => {
      const u = random.uniform();
      return u < 0.5 ? 0 : u < 0.8 ? 1 : 2;
    });
    const logprobs = draws.map((token) => Math.log(p[token] as number));
    const refLogprobs = draws.map((token) => Math.log(q[token] as number));
    for (const estimator of ['k1', 'k3'] as const) {
      const values = tf.tidy(() => [
        ...klPenalty(
          {
            logprobs: tf.tensor1d(logprobs),
            refLogprobs: tf.tensor1d(refLogprobs),
            weights: tf.onesLike(tf.tensor1d(logprobs)),
          },
          estimator,
        ).dataSync(),
      ]);
      const average = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length;
      expect(Math.abs(average - exact)).toBeLessThan(3 * Math.sqrt(variance / values.length));
      if (estimator === 'k1') expect(values.some((value) => value < 0)).toBe(true);
      else expect(values.every((value) => value >= -1e-6)).toBe(true);
    }
  });
});

it('leaves no tensor behind', () => {
  const before = tf.memory().numTensors;
  const tokens = { logprobs: [-1], advantages: [1], weights: [1] };
  evaluate(policyGradient, tokens);
  evaluate({ ...policyGradient, beta: 0.1 }, { ...tokens, old: [-1], ref: [-1] });
  evaluate({ name: 'cross_entropy' }, tokens);
  expect(tf.memory().numTensors).toBe(before);
});
