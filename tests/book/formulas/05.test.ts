import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { learningRateAt } from 'posttrain/engine/schedule';
import { negativeLogLikelihood } from 'posttrain/losses/negative-log-likelihood';
import { tokenWeights } from 'posttrain/losses/token-weights';
import { adapterShapes } from 'posttrain/model/adapter';
import { presets } from 'posttrain/model/presets';
import { addLowRank, initBackend, selectedLogprobs } from 'posttrain/tensor/index';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const surprises = [0.5, 0.25, 1, 0.1].map((p) => -Math.log(p));

beforeAll(async () => {
  await initBackend({ backend: 'cpu' });
});

describe('chapter 5', () => {
  it('example-loss', () => {
    [0.69, 1.39, 0, 2.3].forEach((value, t) => expect(surprises[t]).toBeCloseTo(value, 2));
    expect(sum(surprises)).toBeCloseTo(4.38, 2);
    expect(Math.exp(-sum(surprises))).toBeCloseTo(0.0125, 12);
    expect(sum(surprises) / 4).toBeCloseTo(1.1, 2);
    expect(Math.log(10)).toBeCloseTo(2.3, 1);
    expect(Math.log(2048)).toBeCloseTo(7.6, 1);
  });

  it('eq-sft-loss', () => {
    const mask = [0, 1, 1, 1, 1];
    const logprobs = [-99, ...surprises.map((value) => -value)];
    const byHand = -sum(logprobs.map((logprob, t) => mask[t]! * logprob)) / sum(mask);
    const weights = tokenWeights([Uint8Array.from(mask)], 'dapo', 0)[0]!;
    const [loss] = negativeLogLikelihood(tf.tensor1d(logprobs), tf.tensor1d(weights)).dataSync();
    expect(loss).toBeCloseTo(byHand, 5);
  });

  it('eq-perplexity', () => {
    expect(Math.exp(sum(surprises) / 4)).toBeCloseTo(3, 1);
  });

  it('eq-sft-weights', () => {
    const counts = [2, 8];
    const masks = counts.map((count) => new Uint8Array(10).fill(1, 10 - count));
    const byToken = tokenWeights(masks, 'dapo', 0);
    const byReply = tokenWeights(masks, 'grpo', 0);
    counts.forEach((count, i) => {
      expect(byToken[i]!.at(-1)).toBeCloseTo(1 / sum(counts), 6);
      expect(byReply[i]!.at(-1)).toBeCloseTo(1 / (2 * count), 6);
      expect(sum([...byReply[i]!])).toBeCloseTo(0.5, 6);
    });
    expect([byReply[0]!.at(-1), byReply[1]!.at(-1)]).toEqual([0.25, 0.0625]);
  });

  it('example-mean-of-means', () => {
    expect((1 + 3) / 2).toBe(2);
    expect((10 * 1 + 90 * 3) / 100).toBeCloseTo(2.8, 12);
  });

  it('eq-softmax-gradient', () => {
    const probabilities = [0.7, 0.2, 0.1];
    const logits = tf.tensor2d([probabilities.map(Math.log)]);
    const surprise = (z: tf.Tensor): tf.Scalar =>
      tf.neg(tf.sum(selectedLogprobs(z, tf.tensor1d([1], 'int32')).logprobs)) as tf.Scalar;
    const gradient = [...tf.grad(surprise)(logits).dataSync()];
    probabilities.forEach((p, k) => expect(gradient[k]).toBeCloseTo(p - (k === 1 ? 1 : 0), 5));
  });

  it('example-one-token', () => {
    const powers = [0.7 * Math.exp(-0.7), 0.2 * Math.exp(0.8), 0.1 * Math.exp(-0.1)];
    [0.348, 0.445, 0.09].forEach((value, k) => expect(powers[k]).toBeCloseTo(value, 3));
    [0.39, 0.5, 0.1].forEach((value, k) => expect(powers[k]! / sum(powers)).toBeCloseTo(value, 2));
  });

  it('eq-learning-rate', () => {
    const schedule = { learningRate: 0.004, lrSchedulerType: 'cosine', warmupSteps: 20 } as const;
    const byHand = (u: number): number =>
      u < 20 ? (0.004 * (u + 1)) / 20 : 0.002 * (1 + Math.cos((Math.PI * (u - 20)) / (550 - 20)));
    for (const u of [0, 5, 19, 20, 285, 549])
      expect(learningRateAt(u, 550, schedule)).toBeCloseTo(byHand(u), 12);
    expect(byHand(0)).toBeCloseTo(0.0002, 12);
    expect(byHand(19)).toBeCloseTo(0.004, 12);
    expect(byHand(285)).toBeCloseTo(0.002, 12);
    expect(byHand(549) / 3.5e-8).toBeCloseTo(1, 1);
  });

  it('eq-lora', () => {
    const [x, a, b, scale] = [[1, 2], [1, -1], [0.5, 0], 2];
    const along = x[0]! * a[0]! + x[1]! * a[1]!;
    const byHand = x.map((value, i) => value + scale * b[i]! * along);
    expect(byHand).toEqual([0, 2]);
    const h = addLowRank(tf.tensor2d([x]), tf.tensor2d([x]), tf.tensor2d([a]), tf.tensor2d(b, [2, 1]), scale);
    expect([...h.dataSync()]).toEqual(byHand);
  });

  it('eq-lora-count', () => {
    const targetModules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
    const shapes = adapterShapes(presets.nano(2048), { r: 16, loraAlpha: 32, targetModules });
    const trained = sum([...shapes.values()].map(([rows, columns]) => rows * columns));
    const count = (inSize: number, outSize: number, r = 16): number => r * (inSize + outSize);
    expect(trained).toBe(4 * (4 * count(128, 128) + 3 * count(128, 320)));
    expect(count(128, 128)).toBe(4096);
    expect(count(4096, 4096)).toBe(131_072);
    expect(count(4096, 4096) / 4096 ** 2).toBeCloseTo(0.008, 3);
  });

  it('example-memory', () => {
    expect(7 * (2 + 2 + 4 + 8)).toBe(112);
    expect([7 * 2, 7 * 0.5]).toEqual([14, 3.5]);
    expect(0.04 * 16).toBeCloseTo(0.6, 1);
  });

  it('exercise three-tokens', () => {
    expect(sum([0.5, 0.25, 1].map((p) => -Math.log(p))) / 3).toBeCloseTo(0.693, 3);
    expect((3 * Math.LN2) / 5).toBeCloseTo(0.416, 3);
  });

  it('exercise what-an-adapter-weighs', () => {
    const [attention, mlp] = [4 * 16 * (4096 + 4096), 3 * 16 * (4096 + 11008)];
    expect([attention, mlp, 32 * (attention + mlp)]).toEqual([524_288, 724_992, 39_976_960]);
    expect(mlp / (attention + mlp)).toBeCloseTo(0.58, 2);
    expect((attention + mlp) / (4 * 8192)).toBeCloseTo(38.1, 1);
  });
});
