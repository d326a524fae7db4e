import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { policyGradientLoss } from 'posttrain/losses/policy-gradient';
import { sequenceRatioLoss } from 'posttrain/losses/sequence-ratio';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate, type Evaluation } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

interface Tokens {
  readonly probabilities: number[];
  readonly old?: number[];
  readonly advantages: number[];
  readonly ids: number[];
}

const clip = (epsilon: number) => ({ epsilon, epsilonHigh: epsilon, delta: null });

function gspo({ probabilities, old, advantages, ids }: Tokens, epsilon: number): Evaluation {
  const weights = ids.map(() => 1 / ids.length);
  return evaluate(
    (logprobs, advantage, weight, oldLogprobs) =>
      sequenceRatioLoss(
        { logprobs, advantages: advantage!, weights: weight!, ...(oldLogprobs && { oldLogprobs }) },
        { ids: tf.tensor1d(ids, 'int32'), count: Math.max(...ids) + 1 },
        clip(epsilon),
      ),
    [probabilities.map(Math.log)],
    [advantages, weights, ...(old ? [old.map(Math.log)] : [])],
  );
}

/** B9: token ratios 1.1, .9, 1.5; their product 1.485, their geometric mean 1.14089. */
const b9: Tokens = {
  probabilities: [0.55, 0.36, 0.3],
  old: [0.5, 0.4, 0.2],
  advantages: [1, 1, 1],
  ids: [0, 0, 0],
};

describe('GSPO', () => {
  it('gives every token the geometric mean of the sequence (B9)', () => {
    const { value, grads } = gspo(b9, 0.2);
    expect(value).toBeCloseTo(-1.14089, 5);
    grads[0]!.forEach((gradient) => expect(gradient).toBeCloseTo(-1.14089 / 3, 5));
  });

  it('clips whole sequences', () => {
    const { value, grads } = gspo(b9, 0.1);
    expect(value).toBeCloseTo(-1.1, 5);
    expect(grads[0]!.map((gradient) => gradient + 0)).toEqual([0, 0, 0]);
  });

  it('leaves one sequence alone when another changes, and permutes with its tokens (C6b)', () => {
    const two: Tokens = {
      probabilities: [0.5, 0.2, 0.4, 0.3],
      old: [0.4, 0.25, 0.4, 0.35],
      advantages: [1, 1, -2, -2],
      ids: [0, 0, 1, 1],
    };
    const [a, b, c, d] = gspo(two, 0.2).grads[0]!;
    const changed = gspo({ ...two, probabilities: [0.1, 0.9, 0.4, 0.3] }, 0.2).grads[0]!;
    expect(changed.slice(2)).toEqual([c, d]);
    const shuffled = gspo(
      {
        probabilities: [0.3, 0.5, 0.4, 0.2],
        old: [0.35, 0.4, 0.4, 0.25],
        advantages: [-2, 1, -2, 1],
        ids: [1, 0, 1, 0],
      },
      0.2,
    ).grads[0]!;
    [d, a, c, b].forEach((gradient, i) => expect(shuffled[i]).toBeCloseTo(gradient!, 6));
  });

  it('takes the same step as a token-level policy gradient right after sampling', () => {
    const tokens: Tokens = { probabilities: [0.5, 0.2, 0.4], advantages: [1, 1, -2], ids: [0, 0, 1] };
    const tokenLevel = evaluate(
      (logprobs, advantages, weights) =>
        policyGradientLoss({ logprobs, advantages: advantages!, weights: weights! }, clip(0.2)),
      [tokens.probabilities.map(Math.log)],
      [tokens.advantages, [1 / 3, 1 / 3, 1 / 3]],
    );
    const sequenceLevel = gspo(tokens, 0.2);
    sequenceLevel.grads[0]!.forEach((gradient, i) =>
      expect(gradient).toBeCloseTo(tokenLevel.grads[0]![i]!, 6),
    );
  });
});
