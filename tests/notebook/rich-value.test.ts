import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { mimeBundle } from 'posttrain/notebook';
import { valueBundle } from 'posttrain/notebook/rich-value.node';
import { initBackend } from 'posttrain/tensor';

beforeAll(() => initBackend({ backend: 'cpu' }));

const text = async (value: unknown): Promise<unknown> => (await valueBundle(value))['text/plain'];

it.each([
  [() => tf.scalar(1 / 3), 'Tensor [] float32\n0.3333'],
  [() => tf.tensor1d([1, 2], 'int32'), 'Tensor [2] int32\n[ 1, 2 ]'],
  [() => tf.zeros([2, 0]), 'Tensor [2, 0] float32'],
  [() => tf.range(0, 8), 'Tensor [8] float32\n[\n  0, 1, 2, 3,\n  4, 5, …\n]'],
  [() => tf.reshape(tf.range(0, 16), [2, 8]), /^Tensor \[2, 8\] float32\n[\s\S]*8,\s+9,\s+10,[\s\S]*13,\s+…/],
  [() => tf.ones([9, 9, 9, 9]), /^Tensor \[9, 9, 9, 9\] float32\n(?!(?:[^1]*1){82})/],
])('shows a tensor by its shape and first values: %s', async (make, expected) => {
  const before = tf.memory().numTensors;
  const tensor = tf.tidy(make);
  expect(await text(tensor)).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
  tensor.dispose();
  expect(tf.memory().numTensors).toBe(before);
  expect(await text(tensor)).toMatch(/^Tensor \[.*\] (float32|int32), disposed$/);
});

it('asks an object how it looks', async () => {
  class Half {
    async [mimeBundle](): Promise<{ 'text/plain': string; 'text/html': string }> {
      return { 'text/plain': '1/2', 'text/html': '&frac12;' };
    }
  }
  expect(await valueBundle(new Half())).toEqual({ 'text/plain': '1/2', 'text/html': '&frac12;' });
});
