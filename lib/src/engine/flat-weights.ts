import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { copyValues } from '../tensor/index.js';

type Weights = ReadonlyMap<string, Variable>;

/** How many numbers all weights have. */
export function flatSize(weights: Weights): number {
  return [...weights.values()].reduce((sum, { size }) => sum + size, 0);
}

/** Calls back for each weight, with where its numbers begin when all lie end to end. */
function eachPlace(weights: Weights, visit: (name: string, weight: Variable, start: number) => void): void {
  let start = 0;
  for (const [name, weight] of weights) {
    visit(name, weight, start);
    start += weight.size;
  }
}

/** Copies tensors end to end into `flat`, in the order of `weights`; those that are missing count as zeros. */
export async function flatten(
  weights: Weights,
  tensors: ReadonlyMap<string, Tensor>,
  flat: Float32Array,
): Promise<void> {
  const copies: Promise<void>[] = [];
  eachPlace(weights, (name, { size }, start) => {
    const target = flat.subarray(start, start + size);
    const tensor = tensors.get(name);
    if (tensor === undefined) target.fill(0);
    else copies.push(copyValues(tensor, target));
  });
  await Promise.all(copies);
}

/** The inverse of `flatten`. The caller disposes the tensors; until then `flat` must not change, as some back ends look at it again. */
export function unflatten(weights: Weights, flat: Float32Array): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  eachPlace(weights, (name, { shape, size }, start) =>
    tensors.set(name, tf.tensor(flat.subarray(start, start + size), shape, 'float32')),
  );
  return tensors;
}

/** Sets all weights from numbers end to end, which must not change as long as the weights are these. */
export function assignFlat(weights: Weights, flat: Float32Array): void {
  for (const [name, value] of unflatten(weights, flat)) {
    weights.get(name)?.assign(value);
    value.dispose();
  }
}
