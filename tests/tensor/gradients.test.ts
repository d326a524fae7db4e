/** Derivatives of the stock ops, against central differences. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
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

onEachBackend('gradients', () => {
  it.each(cases)('%s', (_name, op, inputs) => {
    tf.tidy(() => {
      const tensors = inputs.map(toTensor);
      const shape = op(...tensors).shape;
      const weights = toTensor(normalInput(9, ...shape));
      const loss = (...xs: Tensor[]): tf.Scalar => tf.sum(tf.mul(op(...xs), weights)) as tf.Scalar;
      tf.grads(loss)(tensors).forEach((gradient, which) => {
        expect(gradient.shape).toEqual(inputs[which]!.shape);
        const step = 2 ** -8;
        const numeric = inputs[which]!.values.map((_, position) => {
          const moved = (delta: number): number => {
            const values = inputs[which]!.values.map((x, i) => (i === position ? x + delta : x));
            return loss(
              ...tensors.map((x, i) => (i === which ? toTensor({ ...inputs[i]!, values }) : x)),
            ).dataSync()[0]!;
          };
          return (moved(step) - moved(-step)) / (2 * step);
        });
        expect(largestError(gradient.dataSync(), numeric)).toBeLessThan(2e-3);
      });
    });
  });

  it('comparisons on the way to a loss have gradient zero', () => {
    tf.tidy(() => {
      const gradient = tf.grad(
        (x: Tensor) => tf.sum(tf.mul(x, tf.cast(tf.greater(x, 0), 'float32'))) as tf.Scalar,
      );
      expect([...gradient(tf.tensor1d([-1, 2])).dataSync()]).toEqual([0, 1]);
    });
  });

  it('gather has a gradient along its first axis', () => {
    tf.tidy(() => {
      const ids = tf.tensor1d([1, 1, 0], 'int32');
      const weights = tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2]);
      const gradient = tf.grad((x: Tensor) => tf.sum(tf.mul(tf.gather(x, ids), weights)) as tf.Scalar);
      expect([...gradient(tf.zeros([3, 2])).dataSync()]).toEqual([5, 6, 4, 6, 0, 0]);
      const flat = tf.grad(
        (x: Tensor) => tf.sum(tf.mul(tf.gather(x, ids), tf.tensor1d([1, 2, 3]))) as tf.Scalar,
      );
      expect([...flat(tf.zeros([4])).dataSync()]).toEqual([3, 3, 0, 0]);
    });
  });
});
