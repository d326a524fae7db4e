import { describe, expect, it } from 'vitest';
import { klShapedRewards } from 'posttrain/losses/kl-reward';
import type { KLEstimator } from 'posttrain/losses/kl';

describe('KL in the reward', () => {
  const rewards = (mask: number[], klEstimator: KLEstimator, score = 2) => [
    ...klShapedRewards(
      {
        logprobs: Float32Array.from([NaN, -1, NaN, -2]),
        refLogprobs: Float32Array.from([NaN, -1.5, Infinity, -1.5]),
        mask: Uint8Array.from(mask),
      },
      score,
      { klCoef: 0.1, klEstimator },
    ),
  ];

  it.each<[KLEstimator, number, number]>([
    ['k1', 0.5, -0.5],
    ['k2', 0.125, 0.125],
    ['k3', 0.106531, 0.148721],
  ])('charges each sampled token its %s, and pays the score at the last one', (estimator, first, last) => {
    const [prompt, reply, environment, end] = rewards([0, 1, 0, 1], estimator);
    expect([prompt, environment]).toEqual([0, 0]);
    expect(reply).toBeCloseTo(-0.1 * first, 6);
    expect(end).toBeCloseTo(2 - 0.1 * last, 6);
  });

  it('pays the score at the stop token, not at the padding after it (H1)', () => {
    const same = { logprobs: new Float32Array(5), refLogprobs: new Float32Array(5) };
    const rewards = klShapedRewards({ ...same, mask: Uint8Array.of(1, 1, 1, 0, 0) }, 2, {
      klCoef: 0.05,
      klEstimator: 'k1',
    });
    expect([...rewards].map((reward) => reward + 0)).toEqual([0, 0, 2, 0, 0]);
  });

  it('has nowhere to put the score of an empty reply (D7)', () =>
    expect(rewards([0, 0, 0, 0], 'k1')).toEqual([0, 0, 0, 0]));
});
