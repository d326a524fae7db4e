/** Compares an op with plain loops in double precision: values directly, gradients by central differences of the loops. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { randomStream } from 'posttrain/tensor';
import { allValuesOf } from '../values.js';

export interface Input {
  readonly shape: number[];
  readonly values: Float64Array;
}

/** Normal values that are exact in float32, so that both sides start from the same numbers. */
export function normalInput(seed: number, ...shape: number[]): Input {
  const stream = randomStream(seed, 'input');
  const size = shape.reduce((product, n) => product * n, 1);
  return { shape, values: Float64Array.from({ length: size }, () => Math.fround(stream.normal())) };
}

export function toTensor({ shape, values }: Input): Tensor {
  return tf.tensor(Float32Array.from(values), shape);
}

/** Largest |actual - expected| / (1 + |expected|). */
export function largestError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const error =
      Math.abs((actual[i] as number) - (expected[i] as number)) / (1 + Math.abs(expected[i] as number));
    largest = Number.isNaN(error) ? Infinity : Math.max(largest, error);
  }
  return largest;
}

/** Every combination of the given sizes. */
export const product = (...axes: number[][]): number[][] =>
  axes.reduce<number[][]>((rows, axis) => rows.flatMap((row) => axis.map((size) => [...row, size])), [[]]);

type Op = (...inputs: Tensor[]) => Tensor;
type Reference = (...inputs: Float64Array[]) => Float64Array;

/** d (Σ weights · f) / d inputs[which], by central differences. */
function numericGradient(
  f: Reference,
  inputs: Float64Array[],
  which: number,
  weights: Float64Array,
): Float64Array {
  const step = 1e-5;
  const at = (position: number, delta: number): number => {
    const moved = inputs.map((values, i) => (i === which ? values.slice() : values));
    moved[which]![position]! += delta;
    return f(...moved).reduce((sum, value, i) => sum + value * weights[i]!, 0);
  };
  return inputs[which]!.map((_, position) => (at(position, step) - at(position, -step)) / (2 * step));
}

/** Checks values and the gradients of all inputs. */
export async function expectMatches(
  op: Op,
  reference: Reference,
  inputs: Input[],
  tolerance = 2e-5,
): Promise<void> {
  const values = inputs.map((input) => input.values);
  const expected = reference(...values);
  const weights = normalInput(99, expected.length).values;
  const [actual, ...gradients] = await allValuesOf(() => {
    const tensors = inputs.map(toTensor);
    const output = op(...tensors);
    const loss = (...xs: Tensor[]): tf.Scalar =>
      tf.sum(tf.mul(op(...xs), tf.tensor(Float32Array.from(weights), output.shape))) as tf.Scalar;
    const computed = tf.grads(loss)(tensors);
    computed.forEach(({ shape }, which) => expect(shape).toEqual(inputs[which]!.shape));
    return [output, ...computed];
  });
  expect(largestError(actual!, expected)).toBeLessThan(tolerance);
  gradients.forEach((gradient, which) => {
    const numeric = numericGradient(reference, values, which, weights);
    expect(largestError(gradient, numeric)).toBeLessThan(5 * tolerance);
  });
}
