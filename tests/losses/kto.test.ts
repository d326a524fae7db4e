import { beforeAll, describe, expect, it } from 'vitest';
import { ktoLoss, ktoReferencePoint } from 'posttrain/losses/kto';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate, type Evaluation } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

/** One reply whose log-ratio to the reference is `logRatio`; λ_D = 2, λ_U = 3. */
const kto = (logRatio: number, label: 0 | 1, beta: number, referencePoint: number): Evaluation =>
  evaluate(
    (logprobs, refLogprobs, labels, weights) =>
      ktoLoss(
        { logprobs, refLogprobs: refLogprobs!, labels: labels!, weights: weights! },
        { beta, desirableWeight: 2, undesirableWeight: 3, referencePoint },
      ),
    [[logRatio - 10]],
    [[-10], [label], [1]],
  );

describe('KTO', () => {
  it.each([
    ['a good reply at the reference point', 0, 1, 0.1, 0, 2 * 0.5, -2 * 0.1 * 0.25],
    ['a bad one there', 0, 0, 0.1, 0, 3 * 0.5, 3 * 0.1 * 0.25],
    ['a good reply one nat above it', 1.5, 1, 1, 0.5, 2 * 0.268941, -2 * 0.196612],
    ['a bad one there', 1.5, 0, 1, 0.5, 3 * 0.731059, 3 * 0.196612],
  ] as const)('weighs %s', (_, logRatio, label, beta, referencePoint, loss, gradient) => {
    const { value, grads } = kto(logRatio, label, beta, referencePoint);
    expect(value).toBeCloseTo(loss, 5);
    expect(grads[0]![0]).toBeCloseTo(gradient, 5);
  });

  it('lets go of settled and of hopeless replies', () => {
    for (const logRatio of [-50, 50]) expect(kto(logRatio, 1, 1, 0).grads[0]![0]).toBeCloseTo(0, 6);
  });

  it('never expects less than the reference gives', () => {
    expect(ktoReferencePoint([-3, -5], [-4, -5])).toBe(0.5);
    expect(ktoReferencePoint([-3, -5], [-2, -5])).toBe(0);
  });
});
