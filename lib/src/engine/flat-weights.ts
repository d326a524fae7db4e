import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';

type Weights = ReadonlyMap<string, Variable>;

/** How many numbers all weights have. */
export function flatSize(weights: Weights): number {
  return [...weights.values()].reduce((sum, { size }) => sum + size, 0);
}

/** Copies tensors end to end into `flat`, in the order of `weights`; those that are missing count as zeros. */
export async function flatten(
  weights: Weights,
  tensors: ReadonlyMap<string, Tensor>,
  flat: Float32Array,
): Promise<void> {
  let offset = 0;
  for (const [name, { size }] of weights) {
    const values = await tensors.get(name)?.data<'float32'>();
    if (values === undefined) flat.fill(0, offset, offset + size);
    else flat.set(values, offset);
    offset += size;
  }
}

/** The inverse of `flatten`. The caller disposes the tensors. */
export function unflatten(weights: Weights, flat: Float32Array): Map<string, Tensor> {
  let offset = 0;
  const tensors = new Map<string, Tensor>();
  for (const [name, { shape, size }] of weights) {
    tensors.set(name, tf.tensor(flat.slice(offset, offset + size), shape, 'float32'));
    offset += size;
  }
  return tensors;
}

/** Sets all weights from numbers end to end. */
export function assignFlat(weights: Weights, flat: Float32Array): void {
  for (const [name, value] of unflatten(weights, flat)) {
    weights.get(name)?.assign(value);
    value.dispose();
  }
}
