/** Formulas and numbers of chapter 8, written down by hand, against the library. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { bestOfNKL, judgeAgreement, passAtK, wilsonInterval } from 'posttrain/eval';
import { bradleyTerryLoss, dpoLoss, ktoLoss } from 'posttrain/losses';
import { initBackend } from 'posttrain/tensor';

beforeAll(() => initBackend({ backend: 'cpu' }));

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const one = (value: number): tf.Tensor => tf.tensor1d([value]);
const valueOf = (loss: () => tf.Scalar): number => tf.tidy(() => loss().dataSync()[0] as number);

it('eq-wilson', () => {
  for (const [successes, n] of [
    [3, 20],
    [17, 40],
    [99, 100],
  ] as const) {
    const [p, z] = [successes / n, 1.959964];
    const centre = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
    const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
    const { low, high } = wilsonInterval(successes, n);
    expect(low).toBeCloseTo(centre - half, 6);
    expect(high).toBeCloseTo(centre + half, 6);
  }
});

it('example-wilson: 5 % to 36 %; none of a hundred is at most 3.7 %, none of fifty 7.1 %', () => {
  const { low, high } = wilsonInterval(3, 20);
  expect(low).toBeCloseTo(0.052, 3);
  expect(high).toBeCloseTo(0.36, 3);
  const naive = 1.96 * Math.sqrt((0.15 * 0.85) / 20);
  expect([0.15 - naive, 0.15 + naive].map((end) => end.toFixed(3))).toEqual(['-0.006', '0.306']);
  expect(wilsonInterval(0, 100).high).toBeCloseTo(0.037, 3);
  expect(wilsonInterval(0, 50).high).toBeCloseTo(0.071, 3);
  expect(wilsonInterval(0, 381).high).toBeLessThan(0.01);
  expect(wilsonInterval(0, 380).high).toBeGreaterThan(0.01);
});

it('example-tasks: how many tasks, and how to divide 1,600 drawings', () => {
  expect((1.96 * 0.3) / 0.05).toBeCloseTo(Math.sqrt(138), 1);
  expect(((1.96 * 0.3) / 0.02) ** 2).toBeCloseTo(864, 0);
  const halfWidth = (n: number): number => 1.96 * Math.sqrt(0.04 / n + 0.3 / 1600);
  expect([200, 400, 1600].map((n) => halfWidth(n).toFixed(4))).toEqual(['0.0386', '0.0332', '0.0286']);
});

it('eq-pass-at-k', () => {
  const choose = (n: number, k: number): number => (k > n ? 0 : k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  for (const [n, c, k] of [
    [8, 2, 3],
    [8, 0, 4],
    [6, 5, 2],
    [5, 1, 5],
  ] as const)
    expect(passAtK(n, c, k)).toBeCloseTo(1 - choose(n - c, k) / choose(n, k), 12);
});

it('example-pass-at-k: 0.643 and not 0.578; pooling says 1 where 0.5 is right', () => {
  expect(passAtK(8, 2, 3)).toBeCloseTo(0.643, 3);
  expect(1 - 0.75 ** 3).toBeCloseTo(0.578, 3);
  const tasks = [8, 8, 8, 8, 0, 0, 0, 0].map((c) => passAtK(8, c, 8));
  expect(tasks.reduce((a, b) => a + b) / 8).toBe(0.5);
  expect(0.9 ** 5).toBeCloseTo(0.59, 2);
});

it('example-best-of-n: 1.20 nats for eight, 3.17 for sixty-four', () => {
  for (const n of [1, 2, 8, 64]) expect(bestOfNKL(n)).toBeCloseTo(Math.log(n) - (n - 1) / n, 12);
  expect(bestOfNKL(8)).toBeCloseTo(1.2, 2);
  expect(bestOfNKL(64)).toBeCloseTo(3.17, 2);
});

it('eq-kappa', async () => {
  // 40 acceptable ones, all accepted; 40 faulty ones, of which 31 are accepted
  const labels = Array.from({ length: 80 }, (_, n) => ({
    id: String(n),
    prompt: '',
    completion: '',
    acceptable: n < 40,
    change: '',
  }));
  const judge = {
    judge: async ({ id }: { id: string }) => {
      const verdict = Number(id) < 71 ? ('accept' as const) : ('veto' as const);
      return { id, verdict, reason: '', model: '', modelVersion: null, promptHash: '' };
    },
  };
  const { agreement, kappa } = await judgeAgreement(judge, labels);
  const expected = 0.5 * (71 / 80) + 0.5 * (9 / 80);
  expect(agreement.value).toBe(0.6125);
  expect(kappa).toBeCloseTo((0.6125 - expected) / (1 - expected), 12);
  expect(kappa).toBeCloseTo(0.225, 12);
});

it('eq-bradley-terry', () => {
  const loss = (chosen: number, rejected: number): number =>
    valueOf(() =>
      bradleyTerryLoss({ chosenRewards: one(chosen), rejectedRewards: one(rejected), weights: one(1) }, null),
    );
  expect(loss(1.2, 0.4)).toBeCloseTo(-Math.log(sigmoid(0.8)), 5);
  expect(loss(1.2, 0.4)).toBeCloseTo(0.371, 3);
  expect(loss(0.4, 1.2)).toBeCloseTo(1.171, 3);
  expect(loss(6.2, 5.4)).toBeCloseTo(0.371, 3);
});

const dpo = (chosen: number, rejected: number, refChosen: number, refRejected: number): number =>
  valueOf(() =>
    dpoLoss(
      {
        chosenLogprobs: one(chosen),
        rejectedLogprobs: one(rejected),
        refChosenLogprobs: one(refChosen),
        refRejectedLogprobs: one(refRejected),
        weights: one(1),
      },
      { beta: 0.1, lossType: 'sigmoid', labelSmoothing: 0 },
    ),
  );

it('eq-dpo', () => {
  expect(dpo(-40, -9, -40, -9)).toBeCloseTo(Math.LN2, 6);
  expect(dpo(-10, -12, -11, -12)).toBeCloseTo(-Math.log(sigmoid(0.1)), 5);
  expect(dpo(-10, -12, -11, -12)).toBeCloseTo(0.644, 3);
  expect(dpo(-7, -12, -9, -8)).toBeCloseTo(-Math.log(sigmoid(0.1 * (2 + 4))), 5);
});

it('eq-tilted: the best policy of the RLHF problem is the tilted reference', () => {
  const [reference, rewards, beta] = [[0.5, 0.3, 0.2], [0, 1, 0.4], 0.7];
  const tilted = reference.map((share, y) => share * Math.exp((rewards[y] as number) / beta));
  const total = tilted.reduce((a, b) => a + b);
  const best = tilted.map((share) => share / total);
  const objective = (policy: readonly number[]): number =>
    policy.reduce(
      (sum, share, y) =>
        sum + share * ((rewards[y] as number) - beta * Math.log(share / (reference[y] as number))),
      0,
    );
  expect(objective(best)).toBeCloseTo(beta * Math.log(total), 10);
  for (const other of [reference, [0.2, 0.6, 0.2], [0.34, 0.33, 0.33], [0.05, 0.9, 0.05]])
    expect(objective(other)).toBeLessThan(objective(best));
});

it('eq-kto', () => {
  const loss = (label: 0 | 1, logRatio: number): number =>
    valueOf(() =>
      ktoLoss(
        { logprobs: one(-5 + logRatio), refLogprobs: one(-5), labels: one(label), weights: one(1) },
        { beta: 0.1, desirableWeight: 1.3, undesirableWeight: 0.8, referencePoint: 0.5 },
      ),
    );
  expect(loss(1, 2)).toBeCloseTo(1.3 * (1 - sigmoid(0.1 * (2 - 0.5))), 5);
  expect(loss(0, 2)).toBeCloseTo(0.8 * (1 - sigmoid(0.1 * (0.5 - 2))), 5);
});
