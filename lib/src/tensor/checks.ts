/** What ops demand of their arguments. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/** Throws unless a back end has been started. */
export function requireBackend(): void {
  if ((tf.getBackend() as string | undefined) === undefined)
    throw new Error('Nothing does the arithmetic yet: call `await initBackend()` first.');
}

/** Throws unless a tensor has a shape; `null` matches any size. */
export function requireShape(name: string, tensor: Tensor, expected: readonly (number | null)[]): void {
  const matches =
    tensor.shape.length === expected.length &&
    expected.every((size, axis) => size === null || size === tensor.shape[axis]);
  if (matches) return;
  const wanted = expected.map((size) => size ?? '*').join(', ');
  throw new Error(`${name} must have shape [${wanted}], got [${tensor.shape.join(', ')}]`);
}

/** The largest entry of index tensors that have been checked: where values move to a device, they are at hand only once. */
const largestIndex = new WeakMap<object, number>();

/**
 * Throws unless an int32 tensor holds only integers in [0, limit). Indices that were computed on a GPU cannot be looked at
 * without waiting for it; its kernels stay within bounds whatever they are.
 * @returns the largest entry, -1 when there is none or it is not known
 */
export function requireIndices(name: string, tensor: Tensor, limit: number): number {
  if (tensor.dtype !== 'int32') throw new Error(`${name} must be int32, got ${tensor.dtype}`);
  const known = largestIndex.get(tensor.dataId);
  if (known !== undefined && known < limit) return known;
  if (known !== undefined && !isReadable(tensor))
    throw new RangeError(`${name} must lie in [0, ${limit}), got ${known}`);
  if (!isReadable(tensor)) return -1;
  const values = tensor.dataSync<'int32'>();
  const bad = values.findIndex((value) => value < 0 || value >= limit);
  if (bad >= 0)
    throw new RangeError(`${name} must lie in [0, ${limit}), got ${values[bad]} at position ${bad}`);
  const largest = values.reduce((most, value) => Math.max(most, value), -1);
  largestIndex.set(tensor.dataId, largest);
  return largest;
}

/** Whether a tensor's values can be read without waiting. */
function isReadable({ dataId }: Tensor): boolean {
  if (tf.getBackend() !== 'webgpu') return true;
  const { tensorMap } = tf.backend() as unknown as { tensorMap: tf.DataStorage<{ values?: unknown }> };
  return tensorMap.get(dataId).values != null;
}

/** Throws unless per-row integers are one a row and lie in [0, limit]. */
export function requireRows(name: string, values: Int32Array, rows: number, limit: number): void {
  if (values.length !== rows)
    throw new Error(`${name} must have one entry a row (${rows}), got ${values.length}`);
  const bad = values.findIndex((value) => value < 0 || value > limit);
  if (bad >= 0) throw new RangeError(`${name} must lie in [0, ${limit}], got ${values[bad]} in row ${bad}`);
}
