/** Derivatives of the stock ops, against central differences. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { allValuesOf, valuesOf } from '../values.js';
import { onEachBackend } from './backends.js';
import { type Input, largestError, normalInput, toTensor } from './reference.js';

type Op = (...inputs: Tensor[]) => Tensor;

const positive = (input: Input): Input => ({
  ...input,
  values: input.values.map((x) => Math.fround(Math.abs(x) + 0.5)),
});
const a = normalInput(1, 2, 3);
const b = normalInput(2, 2, 3);
const row = normalInput(3, 3);

const cases: [string, Op, Input[]][] = [
  ['abs', tf.abs as Op, [a]],
  ['clipByValue', (x) => tf.clipByValue(x!, -0.5, 0.5), [a]],
  ['cos', tf.cos as Op, [a]],
  ['sin', tf.sin as Op, [a]],
  ['log', tf.log as Op, [positive(a)]],
  ['log1p', tf.log1p as Op, [positive(a)]],
  ['neg', tf.neg as Op, [a]],
  ['relu', tf.relu as Op, [a]],
  ['rsqrt', tf.rsqrt as Op, [positive(a)]],
  ['sqrt', tf.sqrt as Op, [positive(a)]],
  ['softplus', tf.softplus as Op, [a]],
  ['square', tf.square as Op, [a]],
  ['exp', tf.exp as Op, [a]],
  ['expm1', tf.expm1 as Op, [a]],
  ['sigmoid', tf.sigmoid as Op, [a]],
  ['tanh', tf.tanh as Op, [a]],
  ['softmax', (x) => tf.softmax(x!), [a]],
  ['logSoftmax', (x) => tf.logSoftmax(x!), [a]],
  ['logSumExp', (x) => tf.logSumExp(x!, 1), [a]],
  ['add, broadcast', tf.add as Op, [a, row]],
  ['sub, broadcast', tf.sub as Op, [row, a]],
  ['mul, broadcast', tf.mul as Op, [a, row]],
  ['div, broadcast', tf.div as Op, [row, positive(a)]],
  ['maximum', tf.maximum as Op, [a, b]],
  ['minimum', tf.minimum as Op, [a, row]],
  ['squaredDifference', tf.squaredDifference as Op, [a, row]],
  ['pow', tf.pow as Op, [positive(a), b]],
  ['sum over one axis', (x) => tf.sum(x!, 0), [a]],
  ['sum over all', (x) => tf.sum(x!), [a]],
  ['mean over one axis', (x) => tf.mean(x!, 1), [a]],
  ['mean over all, kept', (x) => tf.mean(x!, [0, 1], true), [a]],
  ['max', (x) => tf.max(x!, 1), [a]],
  ['min', (x) => tf.min(x!, 1), [a]],
  ['reshape', (x) => tf.reshape(x!, [3, 2]), [a]],
  ['transpose', (x) => tf.transpose(x!), [a]],
  ['expandDims', (x) => tf.expandDims(x!, 1), [a]],
  ['broadcastTo', (x) => tf.broadcastTo(x!, [2, 3]), [row]],
  ['tile', (x) => tf.tile(x!, [2, 3]), [a]],
  ['slice', (x) => tf.slice(x!, [1, 1], [1, 2]), [a]],
  ['slice of the first axis', (x) => tf.slice(x!, 1, 1), [a]],
  ['pad', (x) => tf.pad(x!, [[1, 0], [2, 1]]), [a]], // prettier-ignore
  ['concat', (x, y) => tf.concat([x!, y!], 1), [a, b]],
  ['split', (x) => tf.mul(tf.split(x!, 3, 1)[0]!, tf.split(x!, 3, 1)[2]!), [a]],
  ['stack', (x, y) => tf.stack([x!, y!], 1), [a, b]],
  ['unstack', (x) => tf.mul(tf.unstack(x!)[0]!, tf.unstack(x!)[1]!), [a]],
  ['addN', (x, y) => tf.addN([x!, y!]), [a, b]],
  ['where', (x, y) => tf.where(tf.greater(x!, 0), x!, y!), [a, b]],
];

/** Of a central difference. */
const step = 2 ** -8;

/** WGSL promises sine and cosine to 2⁻¹¹ only, and a difference divides that by its step. */
const toleranceOf = (name: string, backend: string): number =>
  backend === 'webgpu' && ['cos', 'sin'].includes(name) ? 2 ** -11 / step : 2e-3;

onEachBackend('gradients', (backend) => {
  it.each(cases)('%s', async (name, op, inputs) => {
    const at = (values: Float64Array, position: number, delta: number): Float64Array =>
      values.map((x, i) => (i === position ? x + delta : x));
    const [slopes, ...gradients] = await allValuesOf(() => {
      const tensors = inputs.map(toTensor);
      const shape = op(...tensors).shape;
      const weights = toTensor(normalInput(9, ...shape));
      const loss = (...xs: Tensor[]): tf.Scalar => tf.sum(tf.mul(op(...xs), weights)) as tf.Scalar;
      const moved = (which: number, position: number, delta: number): Tensor =>
        loss(
          ...inputs.map((input, i) =>
            i === which ? toTensor({ ...input, values: at(input.values, position, delta) }) : tensors[i]!,
          ),
        );
      const differences = inputs.flatMap(({ values }, which) =>
        Array.from(values, (_, position) =>
          tf.sub(moved(which, position, step), moved(which, position, -step)),
        ),
      );
      return [tf.div(tf.stack(differences), 2 * step), ...tf.grads(loss)(tensors)];
    });
    let read = 0;
    gradients.forEach((gradient, which) => {
      const size = inputs[which]!.values.length;
      const expected = slopes!.subarray(read, read + size);
      expect(largestError(gradient, expected)).toBeLessThan(toleranceOf(name, backend));
      read += size;
    });
  });

  it('comparisons on the way to a loss have gradient zero', async () => {
    const gradient = await valuesOf(() =>
      tf.grad((x: Tensor) => tf.sum(tf.mul(x, tf.cast(tf.greater(x, 0), 'float32'))) as tf.Scalar)(
        tf.tensor1d([-1, 2]),
      ),
    );
    expect([...gradient]).toEqual([0, 1]);
  });

  it('gather has a gradient along its first axis', async () => {
    const [matrix, vector] = await allValuesOf(() => {
      const ids = tf.tensor1d([1, 1, 0], 'int32');
      const weights = tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2]);
      const gradient = tf.grad((x: Tensor) => tf.sum(tf.mul(tf.gather(x, ids), weights)) as tf.Scalar);
      const flat = tf.grad(
        (x: Tensor) => tf.sum(tf.mul(tf.gather(x, ids), tf.tensor1d([1, 2, 3]))) as tf.Scalar,
      );
      return [gradient(tf.zeros([3, 2])), flat(tf.zeros([4]))];
    });
    expect([...matrix!]).toEqual([5, 6, 4, 6, 0, 0]);
    expect([...vector!]).toEqual([3, 3, 0, 0]);
  });
});
