import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { embedding, rmsNorm, stopGradient, swiglu, valueAndGradients } from 'posttrain/tensor';
import { afterEach, expect, it } from 'vitest';
import { onEachBackend } from './backends.js';
import { normalInput, toTensor } from './reference.js';

const opened: Variable[] = [];
function variable(seed: number, ...shape: number[]): Variable {
  const made = tf.tidy(() => tf.variable(toTensor(normalInput(seed, ...shape))));
  opened.push(made);
  return made;
}

const bitsOf = async (tensor: Tensor): Promise<number[]> => [
  ...new Int32Array((await tensor.data<'float32'>()).slice().buffer),
];

onEachBackend('valueAndGradients', () => {
  afterEach(() => tf.dispose(opened.splice(0)));

  it('gives the bits of tf.variableGrads', async () => {
    const table = variable(1, 5, 4);
    const gain = variable(2, 4);
    const bias = variable(3, 4);
    const unused = variable(4, 2);
    const loss = (): Tensor => {
      const x = embedding(table, tf.tensor1d([1, 4, 1], 'int32'));
      const normed = rmsNorm(x, gain, 1e-5);
      const [left, right] = tf.split(tf.add(tf.mul(normed, normed), bias), 2, 1) as [Tensor, Tensor];
      const gated = swiglu(tf.add(left, left), tf.reshape(tf.transpose(right), [3, 2]));
      const all = tf.concat(
        [gated, tf.slice(x, [0, 1], [3, 1]), stopGradient(tf.slice(x, [0, 0], [3, 1]))],
        1,
      );
      const logits = tf.matMul(all, tf.matMul(table, table, true, false), false, true);
      return tf.mean(tf.sub(tf.logSumExp(logits, 1), tf.sum(logits, 1)));
    };
    const variables = [table, gain, bias, unused];
    const ours = valueAndGradients(loss, variables);
    const theirs = tf.variableGrads(loss as () => tf.Scalar, variables);
    expect(await bitsOf(ours.value)).toEqual(await bitsOf(theirs.value));
    expect([...ours.gradients.keys()]).toEqual([table, gain, bias]);
    for (const [name, gradient] of ours.gradients)
      expect(await bitsOf(gradient)).toEqual(await bitsOf(theirs.grads[name.name] as Tensor));
    tf.dispose([ours.value, theirs.value, ...ours.gradients.values(), ...Object.values(theirs.grads)]);
  });

  it('frees what it has gone past', () => {
    const x = variable(1, 3);
    const alive: number[] = [];
    const watched = (input: Tensor): Tensor =>
      tf.customGrad((...inputs) => {
        const [value, save] = inputs as unknown as [Tensor, (tensors: Tensor[]) => void];
        save([value]);
        return {
          value: tf.square(value),
          gradFunc: (dy: Tensor, [saved]: Tensor[]) => {
            alive.push(tf.memory().numTensors);
            return tf.mul(dy, tf.mul(2, saved as Tensor));
          },
        };
      })(input);
    const { value, gradients } = valueAndGradients(() => {
      let y: Tensor = x;
      for (let i = 0; i < 4; i++) y = watched(y);
      return tf.sum(y);
    }, [x]);
    expect(alive).toHaveLength(4);
    expect(alive).toEqual(alive.toSorted((a, b) => b - a));
    expect(new Set(alive).size).toBe(4);
    tf.dispose([value, ...gradients.values()]);
  });

  it('names an op without a derivative, and leaves nothing behind', () => {
    const x = variable(1, 3);
    expect(() => valueAndGradients(() => tf.sum(tf.topk(tf.square(x), 1).values), [x])).toThrow(
      /TopK has no derivative/,
    );
    expect(() =>
      valueAndGradients(() => {
        tf.square(x);
        throw new Error('no loss');
      }, [x]),
    ).toThrow('no loss');
  });
});
