/** The equations and worked examples of chapter 6, transcribed by hand, against the library. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { bestOfNKL } from 'posttrain/eval/best-of-n';
import {
  gae,
  groupAdvantages,
  klOfToken,
  klShapedRewards,
  leaveOneOutAdvantages,
  policyGradientLoss,
  probabilityRatios,
  tokenWeights,
} from 'posttrain/losses';
import { softOverlongPunishment } from 'posttrain/rewards/overlong';
import { addScore, softmax } from 'posttrain/tabular/softmax-policy';
import { initBackend } from 'posttrain/tensor';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const close = (own: ArrayLike<number>, known: readonly number[], digits = 6): void => {
  expect(own).toHaveLength(known.length);
  known.forEach((value, i) => expect(own[i]).toBeCloseTo(value, digits));
};

/** PPO's objective of one token by its cases, and the library's. */
const byCases = (ratio: number, advantage: number, low = 0.2, high = 0.2): number =>
  Math.min(ratio * advantage, Math.min(1 + high, Math.max(1 - low, ratio)) * advantage);

function byLibrary(
  ratio: number,
  advantage: number,
  low = 0.2,
  high = 0.2,
): { value: number; gradient: number } {
  const loss = (logprobs: tf.Tensor): tf.Scalar =>
    policyGradientLoss(
      {
        logprobs,
        oldLogprobs: tf.tensor1d([-1]),
        advantages: tf.tensor1d([advantage]),
        weights: tf.tensor1d([1]),
      },
      { epsilon: low, epsilonHigh: high, delta: null },
    );
  const { value, grad } = tf.valueAndGrad(loss)(tf.tensor1d([Math.log(ratio) - 1]));
  return { value: -(value.dataSync()[0] as number), gradient: -(grad.dataSync()[0] as number) };
}

const [policy, reference] = [
  [0.8, 0.2],
  [0.5, 0.5],
] as const;
const estimate = (estimator: 'k1' | 'k2' | 'k3', token: 0 | 1): number =>
  klOfToken(Math.log(policy[token]), Math.log(reference[token]), estimator);

beforeAll(() => initBackend({ backend: 'wasm' }));

describe('chapter 6', () => {
  it('eq-policy-gradient', () => {
    const [logits, rewards] = [
      [0.3, -0.2, 0.9],
      [1, 0, 0.4],
    ] as const;
    const expected = (at: readonly number[]): number =>
      sum(softmax(at).map((p, y) => p * (rewards[y] as number)));
    const slopes = logits.map((_, i) => {
      const moved = (by: number): number[] => logits.map((logit, j) => (i === j ? logit + by : logit));
      return (expected(moved(1e-5)) - expected(moved(-1e-5))) / 2e-5;
    });
    const gradient = logits.map(() => 0);
    const probabilities = softmax(logits);
    probabilities.forEach((p, y) => addScore(gradient, probabilities, y, p * (rewards[y] as number)));
    close(gradient, slopes);
  });

  it('example-two-replies', () => {
    const [p, slopes] = [0.2, [0.8, -0.2]];
    const moments = (rewards: readonly [number, number], baseline: number): number[] => {
      const values = rewards.map((reward, y) => (reward - baseline) * (slopes[y] as number)) as [
        number,
        number,
      ];
      const centre = p * values[0] + (1 - p) * values[1];
      return [centre, p * values[0] ** 2 + (1 - p) * values[1] ** 2 - centre ** 2];
    };
    close(moments([1, 0], 0), [0.16, 0.1024]);
    close(moments([1, 0], 0.2), [0.16, 0.0576]);
    close(moments([1, 0], 0.8), [0.16, 0]);
    close(moments([11, 10], 0), [0.16, 18.6624]);
    close(moments([11, 10], 10.2), [0.16, 0.0576]);
  });

  it('eq-ratio', () => {
    const [now, old] = [0.13, 0.1];
    const ratios = probabilityRatios({
      logprobs: tf.tensor1d([Math.log(now)]),
      oldLogprobs: tf.tensor1d([Math.log(old)]),
      weights: tf.tensor1d([1]),
    });
    close(ratios.dataSync(), [now / old], 5);
  });

  it('eq-clip', () => {
    for (const advantage of [-2, -1, 0.5, 1])
      for (const ratio of [0.3, 0.7, 0.9, 1, 1.1, 1.3, 2.5])
        expect(byLibrary(ratio, advantage).value).toBeCloseTo(byCases(ratio, advantage), 5);
  });

  it('example-clip', () => {
    const rows = [
      [1, 0.7, 0.7, true],
      [1, 1, 1, true],
      [1, 1.3, 1.2, false],
      [-1, 0.7, -0.8, false],
      [-1, 1, -1, true],
      [-1, 1.3, -1.3, true],
    ] as const;
    for (const [advantage, ratio, objective, on] of rows) {
      const { value, gradient } = byLibrary(ratio, advantage);
      expect(value).toBeCloseTo(objective, 5);
      expect(gradient).toBeCloseTo(on ? ratio * advantage : 0, 5);
    }
  });

  it('exercise-clip-cases', () => {
    const rows = [
      [1, 1.25, 1.25, true],
      [1, 1.3, 1.28, false],
      [-1, 1.3, -1.3, true],
      [-1, 0.75, -0.8, false],
      [2, 0.5, 1, true],
    ] as const;
    for (const [advantage, ratio, objective, on] of rows) {
      const { value, gradient } = byLibrary(ratio, advantage, 0.2, 0.28);
      expect(value).toBeCloseTo(objective, 5);
      expect(gradient).toBeCloseTo(on ? ratio * advantage : 0, 5);
    }
  });

  it('eq-kl-estimators', () => {
    for (const token of [0, 1] as const) {
      const d = Math.log(reference[token]) - Math.log(policy[token]);
      expect(estimate('k1', token)).toBeCloseTo(-d, 9);
      expect(estimate('k2', token)).toBeCloseTo(d ** 2 / 2, 9);
      expect(estimate('k3', token)).toBeCloseTo(Math.exp(d) - d - 1, 9);
    }
  });

  it('example-kl', () => {
    const expected = (estimator: 'k1' | 'k2' | 'k3'): number =>
      sum(policy.map((p, token) => p * estimate(estimator, token as 0 | 1)));
    const reverse = 0.8 * Math.log(1.6) + 0.2 * Math.log(0.4);
    expect(reverse).toBeCloseTo(0.193, 3);
    expect(0.5 * Math.log(0.625) + 0.5 * Math.log(2.5)).toBeCloseTo(0.223, 3);
    close([expected('k1'), expected('k3')], [reverse, reverse], 9);
    expect(expected('k2')).toBeCloseTo(0.172, 3);
  });

  it('exercise-k2-force', () => {
    const slopes = [-0.2, 0.8] as const;
    const force = sum(
      policy.map((p, token) => p * estimate('k1', token as 0 | 1) * (slopes[token] as number)),
    );
    expect(force).toBeCloseTo(-0.222, 3);
    const kl = (logit: number): number => {
      const p = 1 / (1 + Math.exp(-logit));
      return (1 - p) * Math.log((1 - p) / 0.5) + p * Math.log(p / 0.5);
    };
    const logit = Math.log(0.2 / 0.8);
    expect(force).toBeCloseTo((kl(logit + 1e-5) - kl(logit - 1e-5)) / 2e-5, 6);
  });

  it('eq-kl-reward', () => {
    const streams = {
      logprobs: Float32Array.of(0, -1, -0.5),
      refLogprobs: Float32Array.of(0, -1.5, -0.25),
      mask: Uint8Array.of(0, 1, 1),
    };
    const rewards = klShapedRewards(streams, 2, { klCoef: 0.1, klEstimator: 'k1' });
    close(rewards, [0, -0.1 * 0.5, -0.1 * -0.25 + 2]);
  });

  it('eq-gae', () => {
    const [rewards, values, gamma, lam] = [[0.2, -0.1, 1], [0.5, 0.6, 0.7], 0.9, 0.8];
    const delta = [0.2 + 0.9 * 0.6 - 0.5, -0.1 + 0.9 * 0.7 - 0.6, 1 - 0.7] as const;
    const last = delta[2];
    const middle = delta[1] + gamma * lam * last;
    const first = delta[0] + gamma * lam * middle;
    close(gae({ rewards, values, bootstrapValue: 0 }, { gamma, lam }).advantages, [first, middle, last]);
  });

  it('example-gae', () => {
    const episode = { rewards: [0, 0, 1], values: [0.5, 0.6, 0.7], bootstrapValue: 0 };
    const advantages = (lam: number): number[] => gae(episode, { gamma: 1, lam }).advantages;
    close(advantages(0.95), [0.46575, 0.385, 0.3]);
    close(advantages(1), [0.5, 0.4, 0.3]);
    close(advantages(0), [0.1, 0.1, 0.3]);
  });

  it('eq-rloo', () => {
    const group = [1, 0.5, 0, 0.25];
    const byHand = group.map((reward, i) => reward - mean(group.filter((_, j) => j !== i)));
    close(leaveOneOutAdvantages([group])[0] as number[], byHand);
  });

  it('eq-grpo', () => {
    const group = [1, 0.5, 0, 0.25];
    const deviation = Math.sqrt(sum(group.map((reward) => (reward - mean(group)) ** 2)) / 3);
    const byHand = group.map((reward) => (reward - mean(group)) / deviation);
    // the library adds 1e-4 to the deviation
    close(groupAdvantages([group]).advantages[0] as number[], byHand, 3);
  });

  it('eq-token-weights', () => {
    const [lengths, limit] = [[10, 100], 200];
    const masks = lengths.map((length) => new Uint8Array(length).fill(1));
    const shares = (lossType: 'grpo' | 'dapo' | 'dr_grpo'): number[] =>
      tokenWeights(masks, lossType, limit).map((weights) => weights[0] as number);
    close(shares('grpo'), [1 / (2 * 10), 1 / (2 * 100)]);
    close(shares('dapo'), [1 / 110, 1 / 110]);
    close(shares('dr_grpo'), [1 / (2 * limit), 1 / (2 * limit)]);
  });

  it('eq-overlong', () => {
    const [limit, cache] = [100, 20];
    const byHand = (length: number): number => {
      if (length <= limit - cache) return 0;
      return length <= limit ? (limit - cache - length) / cache : -1;
    };
    for (const length of [0, 70, 80, 81, 90, 100, 110])
      expect(softOverlongPunishment(length, limit, cache)).toBeCloseTo(byHand(length), 9);
    close(
      [70, 90, 100].map((length) => softOverlongPunishment(length, limit, cache)),
      [0, -0.5, -1],
    );
  });

  it('eq-best-of-n', () => {
    for (const n of [1, 2, 8, 64]) expect(bestOfNKL(n)).toBeCloseTo(Math.log(n) - (n - 1) / n, 12);
    expect(bestOfNKL(8)).toBeCloseTo(1.2, 2);
  });

  it('example-dead-groups', () => {
    const dead = (p: number): number => p ** 8 + (1 - p) ** 8;
    expect(dead(0.5)).toBeLessThan(0.01);
    expect(dead(0.9)).toBeCloseTo(0.43, 2);
    expect(dead(0.02)).toBeCloseTo(0.85, 2);
  });
});
