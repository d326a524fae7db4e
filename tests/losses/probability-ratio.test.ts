import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { probabilityRatios } from 'posttrain/losses/probability-ratio';
import { initBackend, selectedLogprobs } from 'posttrain/tensor';

beforeAll(() => initBackend({ backend: 'cpu' }));

/** Ratios of both tokens when a sampler at temperature 0.5 drew them and the trainer scores them at `temperature`. */
const ratiosAt = (temperature: number): Float32Array =>
  tf.tidy(() => {
    const logits = tf.tensor2d([
      [0, Math.log(3)],
      [0, Math.log(3)],
    ]);
    const tokens = tf.tensor1d([0, 1], 'int32');
    return probabilityRatios({
      logprobs: selectedLogprobs(logits, tokens, temperature).logprobs,
      oldLogprobs: tf.log(tf.tensor1d([0.1, 0.9])),
      weights: tf.ones([2]),
    }).dataSync<'float32'>();
  });

it('is 1 on-policy, at the temperature of the sampler and only there (B1)', () => {
  expect([...ratiosAt(0.5)]).toEqual([expect.closeTo(1, 5), expect.closeTo(1, 5)]);
  expect([...ratiosAt(1)]).toEqual([expect.closeTo(2.5, 5), expect.closeTo(0.8333, 4)]);
});
