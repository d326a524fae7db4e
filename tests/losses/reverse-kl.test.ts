import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { generalizedJSD } from 'posttrain/losses/divergence';
import { policyGradientLoss } from 'posttrain/losses/policy-gradient';
import { reverseKLAdvantages } from 'posttrain/losses/reverse-kl';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

describe('reverse KL on sampled tokens', () => {
  const streams = {
    logprobs: Float32Array.from([NaN, -1, NaN, -2]),
    teacherLogprobs: Float32Array.from([NaN, -3, Infinity, -0.5]),
    mask: Uint8Array.from([0, 1, 0, 1]),
  };

  it('favours what the teacher finds likelier, on sampled tokens only', () => {
    const advantages = reverseKLAdvantages(streams, { klPenaltyCoef: 2, klDiscountFactor: 0 });
    expect([...advantages]).toEqual([0, -4, 0, 3]);
  });

  it('lets a token answer for later ones when discounted', () => {
    const advantages = reverseKLAdvantages(streams, { klPenaltyCoef: 1, klDiscountFactor: 0.5 });
    expect([...advantages]).toEqual([0, -2 + 0.5 * 1.5, 0, 1.5]);
  });

  it('has the gradient of the reverse KL over the full vocabulary, on average', () => {
    const student = [0.2, 1, -0.5];
    const teacher = [1, 0, 0.3];
    const logSoftmax = (row: number[]): number[] => {
      const total = Math.log(row.reduce((sum, x) => sum + Math.exp(x), 0));
      return row.map((x) => x - total);
    };
    const logprobs = Float32Array.from(logSoftmax(student));
    const advantages = reverseKLAdvantages(
      {
        logprobs,
        teacherLogprobs: Float32Array.from(logSoftmax(teacher)),
        mask: new Uint8Array(3).fill(1),
      },
      { klPenaltyCoef: 1, klDiscountFactor: 0 },
    );
    // Every token once, weighted by its probability: the expectation over samples.
    const sampled = evaluate(
      (logits) =>
        policyGradientLoss(
          {
            logprobs: tf.reshape(tf.logSoftmax(logits), [-1]),
            advantages: tf.tensor1d(advantages),
            weights: tf.tensor1d(logprobs.map(Math.exp)),
          },
          { epsilon: 0.2, epsilonHigh: 0.2, delta: null },
        ),
      [[student]],
    );
    const full = evaluate(
      (studentLogits) =>
        generalizedJSD(
          { studentLogits, teacherLogits: tf.tensor2d([teacher]), weights: tf.tensor1d([1]) },
          1,
        ),
      [[student]],
    );
    full.grads[0]!.forEach((gradient, v) => expect(sampled.grads[0]![v]).toBeCloseTo(gradient, 6));
  });
});
