import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/** The values of what `compute` makes, which is freed. A GPU is read from when it is done, not in between. */
export async function allValuesOf(compute: () => Tensor[]): Promise<Float32Array[]> {
  const tensors = tf.tidy(compute);
  const values = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  tf.dispose(tensors);
  return values;
}

export async function valuesOf(compute: () => Tensor): Promise<Float32Array> {
  const [values] = await allValuesOf(() => [compute()]);
  return values as Float32Array;
}
