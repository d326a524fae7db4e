/** Formulas and numbers of chapter 7, written down by hand, against the library. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { generalizedJSD, reverseKLAdvantages } from 'posttrain/losses';
import { descendReverseKL } from 'posttrain/tabular';
import { initBackend } from 'posttrain/tensor';

beforeAll(() => initBackend({ backend: 'cpu' }));

const kl = (p: readonly number[], q: readonly number[]): number =>
  p.reduce((sum, share, i) => sum + (share === 0 ? 0 : share * Math.log(share / (q[i] as number))), 0);
const logs = (shares: readonly number[]): Float32Array => Float32Array.from(shares, Math.log);

/** Expected moves off the path of a walker that errs with probability `error` and returns with probability `back`. */
function movesOff(error: number, back: number, moves: number): number {
  let off = 0;
  let cost = 0;
  for (let move = 0; move < moves; move += 1) {
    off = off * (1 - back) + (1 - off) * error;
    cost += off;
  }
  return cost;
}

it('eq-drift', () => {
  for (const [error, moves] of [
    [0.01, 10],
    [0.003, 128],
  ] as const) {
    const sum = Array.from({ length: moves }, (_, t) => 1 - (1 - error) ** (t + 1)).reduce((a, b) => a + b);
    expect(sum).toBeCloseTo(movesOff(error, 0, moves), 10);
    expect(sum).toBeLessThanOrEqual((error * moves * (moves + 1)) / 2);
  }
});

it('example-drift: 0.53 of 10 moves, 1.97 of 20; 43 % of 56 tokens', () => {
  expect(movesOff(0.01, 0, 10)).toBeCloseTo(0.53, 2);
  expect(movesOff(0.01, 0, 20)).toBeCloseTo(1.97, 2);
  expect(1 - 0.99 ** 56).toBeCloseTo(0.43, 2);
});

it('example-proportion: the share off the path in the long run', () => {
  expect(0.003 / 0.503).toBeCloseTo(0.00596, 5);
  expect((512 * 0.003) / 0.503).toBeCloseTo(3.05, 2);
  expect(0.003 / 0.023).toBeCloseTo(0.13, 3);
  expect((512 * 0.003) / 0.023).toBeCloseTo(66.8, 1);
});

const student = [0.5, 0.4, 0.1];
const teacher = [0.8, 0.15, 0.05];

it('eq-opd', () => {
  const advantages = reverseKLAdvantages(
    { logprobs: logs(student), teacherLogprobs: logs(teacher), mask: Uint8Array.of(1, 1, 1) },
    { klPenaltyCoef: 1, klDiscountFactor: 0 },
  );
  advantages.forEach((advantage, v) =>
    expect(advantage).toBeCloseTo(Math.log(teacher[v] as number) - Math.log(student[v] as number), 5),
  );
  const mean = student.reduce((sum, share, v) => sum + share * (advantages[v] as number), 0);
  expect(mean).toBeCloseTo(-kl(student, teacher), 5);
});

it('example-opinion: +0.470, −0.981, −0.693, and −0.227 on average', () => {
  const opinions = student.map((share, v) => Math.log(teacher[v] as number) - Math.log(share));
  expect(opinions.map((opinion) => opinion.toFixed(3))).toEqual(['0.470', '-0.981', '-0.693']);
  expect(-kl(student, teacher)).toBeCloseTo(-0.227, 3);
});

it('example-slope: −0.3483, 0.3017, 0.0467', () => {
  const logits = student.map(Math.log);
  descendReverseKL(logits, teacher.map(Math.log), 1);
  const slopes = logits.map((logit, v) => (Math.log(student[v] as number) - logit).toFixed(4));
  expect(slopes).toEqual(['-0.3483', '0.3017', '0.0467']);
});

function divergence(of: readonly number[], to: readonly number[], beta: number): number {
  const row = (shares: readonly number[]): tf.Tensor => tf.log(tf.tensor2d([[...shares]]));
  return tf.tidy(() => {
    const streams = { studentLogits: row(of), teacherLogits: row(to), weights: tf.ones([1]) };
    return generalizedJSD(streams, beta).dataSync()[0] as number;
  });
}

it('eq-jsd', () => {
  for (const beta of [0.1, 0.5, 0.9]) {
    const mixture = student.map((share, v) => (1 - beta) * share + beta * (teacher[v] as number));
    const byHand = beta * kl(teacher, mixture) + (1 - beta) * kl(student, mixture);
    expect(divergence(student, teacher, beta)).toBeCloseTo(byHand, 5);
  }
  expect(divergence(student, teacher, 0)).toBeCloseTo(kl(teacher, student), 5);
  expect(divergence(student, teacher, 1)).toBeCloseTo(kl(student, teacher), 5);
});

it('example-directions: the two directions disagree about cover and pick', () => {
  const both = [0.49, 0.02, 0.49];
  const [covers, picks] = [
    [1 / 3, 1 / 3, 1 / 3],
    [0.97, 0.02, 0.01],
  ];
  expect(kl(both, covers as number[])).toBeCloseTo(0.321, 3);
  expect(kl(both, picks as number[])).toBeCloseTo(1.572, 3);
  expect(kl(covers as number[], both)).toBeCloseTo(0.681, 3);
  expect(kl(picks as number[], both)).toBeCloseTo(0.623, 3);
});
