/** What ops demand of their arguments. */
import type { Tensor } from '@tensorflow/tfjs-core';

/** Throws unless a tensor has a shape; `null` matches any size. */
export function requireShape(name: string, tensor: Tensor, expected: readonly (number | null)[]): void {
  const matches =
    tensor.shape.length === expected.length &&
    expected.every((size, axis) => size === null || size === tensor.shape[axis]);
  if (matches) return;
  const wanted = expected.map((size) => size ?? '*').join(', ');
  throw new Error(`${name} must have shape [${wanted}], got [${tensor.shape.join(', ')}]`);
}

/** Throws unless an int32 tensor holds only integers in [0, limit); returns the values. */
export function requireIndices(name: string, tensor: Tensor, limit: number): Int32Array {
  if (tensor.dtype !== 'int32') throw new Error(`${name} must be int32, got ${tensor.dtype}`);
  const values = tensor.dataSync<'int32'>();
  const bad = values.findIndex((value) => value < 0 || value >= limit);
  if (bad >= 0)
    throw new RangeError(`${name} must lie in [0, ${limit}), got ${values[bad]} at position ${bad}`);
  return values;
}

/** Throws unless per-row integers are one a row and lie in [0, limit]. */
export function requireRows(name: string, values: Int32Array, rows: number, limit: number): void {
  if (values.length !== rows)
    throw new Error(`${name} must have one entry a row (${rows}), got ${values.length}`);
  const bad = values.findIndex((value) => value < 0 || value > limit);
  if (bad >= 0) throw new RangeError(`${name} must lie in [0, ${limit}], got ${values[bad]} in row ${bad}`);
}
