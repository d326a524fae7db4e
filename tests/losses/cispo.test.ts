import { beforeAll, describe, expect, it } from 'vitest';
import { cispoLoss } from 'posttrain/losses/cispo';
import { initBackend } from 'posttrain/tensor/backend';
import { evaluate } from './evaluate.js';

beforeAll(() => initBackend({ backend: 'cpu' }));

describe('CISPO', () => {
  const cispo = (probability: number, old: number, advantage: number, maxRatio: number) =>
    evaluate(
      (logprobs, oldLogprobs, advantages, weights) =>
        cispoLoss(
          { logprobs, oldLogprobs: oldLogprobs!, advantages: advantages!, weights: weights! },
          maxRatio,
        ),
      [[Math.log(probability)]],
      [[Math.log(old)], [advantage], [1]],
    );

  it.each([
    ['a ratio under the cap weighs as it is', 0.35, 0.5, -1, 5, 0.7],
    ['a ratio over the cap weighs the cap, and keeps its gradient', 0.9, 0.3, 1, 2, -2],
    ['also when the advantage is negative', 0.9, 0.3, -1, 2, 2],
  ])('%s', (_, probability, old, advantage, maxRatio, gradient) => {
    const { value, grads } = cispo(probability, old, advantage, maxRatio);
    expect(value).toBeCloseTo(gradient * Math.log(probability), 5);
    expect(grads[0]![0]).toBeCloseTo(gradient, 5);
  });

  it('is REINFORCE on the first update after sampling', () => {
    const { value, grads } = evaluate(
      (logprobs, advantages, weights) =>
        cispoLoss({ logprobs, advantages: advantages!, weights: weights! }, 5),
      [[-1, -2]],
      [
        [1, -3],
        [0.5, 0.25],
      ],
    );
    expect(value).toBe(-1);
    expect(grads[0]).toEqual([-0.5, 0.75]);
  });
});
