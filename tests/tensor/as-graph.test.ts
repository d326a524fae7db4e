// What runs as a graph gives what the same operations give one by one: on every back end, though only TensorFlow has graphs
// (`npm run test:native`).
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import {
  asGraph,
  causalAttention,
  embedding,
  rmsNorm,
  rotary,
  selectedLogprobs,
  swiglu,
  valueAndGradients,
} from 'posttrain/tensor';
import { expect, it } from 'vitest';
import { onEachBackend } from './backends.js';
import { normalInput, toTensor } from './reference.js';

const draw = (seed: number, ...shape: number[]): Tensor => toTensor(normalInput(seed, ...shape));
const ints = (...values: number[]): tf.Tensor1D => tf.tensor1d(values, 'int32');

/** Each in a size, and again in another: a graph must not remember sizes. */
const cases: Record<string, (size: number) => Tensor | Tensor[]> = {
  'arithmetic that broadcasts': (n) => {
    const [a, b] = [draw(1, n, 1, 3), draw(2, 4, 1)];
    return [tf.add(a, b), tf.sub(a, b), tf.mul(a, b), tf.div(a, b), tf.maximum(a, b), tf.minimum(a, b)];
  },
  'functions of one argument': (n) => {
    const x = tf.abs(draw(3, n, 2));
    const all = [tf.exp, tf.log, tf.neg, tf.rsqrt, tf.sigmoid, tf.softplus, tf.sqrt, tf.square, tf.abs];
    return [...all.map((f) => f(x)), tf.onesLike(x), tf.zerosLike(x), tf.softmax(x), tf.logSoftmax(x)];
  },
  'comparisons, and what they choose': (n) => {
    const [a, b] = [draw(4, n, 3), draw(5, 3)];
    const both = tf.logicalAnd(tf.greater(a, b), tf.notEqual(a, 0));
    return [
      both,
      tf.where(both, a, tf.zerosLike(a)),
      tf.cast(tf.lessEqual(a, b), 'float32'),
      tf.equal(a, a),
      tf.less(a, b),
      tf.greaterEqual(b, a),
    ];
  },
  'sums along axes': (n) => {
    const x = draw(6, n, 2, 3);
    return [
      tf.sum(x),
      tf.sum(x, 1),
      tf.mean(x, [0, 2]),
      tf.max(x, -1),
      tf.mean(x, -1, true),
      tf.sum(x, [1, 2], true),
      tf.argMax(x, 1),
      tf.argMax(x, -1),
    ];
  },
  products: (n) => {
    const [a, b] = [draw(7, n, 4), draw(8, 4, 5)];
    const [batch, other] = [draw(9, 2, n, 4), draw(10, 2, 5, 4)];
    return [
      tf.matMul(a, b),
      tf.matMul(b, a, true, true),
      tf.matMul(batch, other, false, true),
      tf.matMul(batch, draw(11, 1, 4, 3)),
    ];
  },
  'other shapes': (n) => {
    const x = draw(12, n, 2, 3);
    return [
      tf.reshape(x, [-1, 3]),
      tf.transpose(x, [2, 0, 1]),
      tf.expandDims(x, 1),
      tf.expandDims(x, -1),
      tf.tile(x, [1, 2, 3]),
      tf.concat([x, x, x], -1),
      tf.concat([x, draw(13, n, 5, 3)], 1),
      ...tf.split(x, [1, 2], 2),
      tf.fill([n, 2], 7),
    ];
  },
  'rows by number': (n) => {
    const x = draw(14, 4, n);
    return [tf.gather(x, ints(3, 0, 3)), tf.gather(x, tf.tensor2d([[0, 1]], undefined, 'int32'), 1)];
  },
  // On wasm tfjs's own gather reads beside the table here.
  'rows of a batch by number': (n) =>
    tf.getBackend() === 'wasm'
      ? []
      : tf.gather(draw(14, 4, n), tf.tensor2d([[0], [1], [1], [0]], undefined, 'int32'), 1, 1),
  'operations that cannot wait, among others that can': (n) => {
    const x = tf.square(draw(15, n, 4));
    const sums = tf.cumsum(tf.add(x, 1), 1);
    return [tf.mul(sums, x), tf.reverse(tf.mul(x, 2), 1), x];
  },
  'values read on the way': (n) => {
    const x = tf.mul(draw(16, n), 3);
    const [largest] = tf.max(x).dataSync();
    return [tf.sub(x, largest as number), tf.add(x, x)];
  },
  'an array that changes afterwards': (n) => {
    const values = new Float32Array(100 * n).fill(1);
    const doubled = tf.mul(tf.tensor1d(values), 2);
    values.fill(5);
    return doubled;
  },
  'a tensor that is let go of before its time': (n) => {
    const x = draw(17, n);
    const doubled = tf.mul(x, 2);
    x.dispose();
    return tf.add(doubled, draw(18, n));
  },
  'a model’s own operations, with their gradients': (n) => {
    const table = tf.variable(draw(19, 6, 8));
    const gain = tf.variable(draw(20, 8));
    const ids = tf.tensor2d([[1, 0, 5].slice(0, n), [2, 2, 4].slice(0, n)], undefined, 'int32');
    const positions = tf.tensor2d([[0, 1, 2].slice(0, n), [0, 0, 1].slice(0, n)], undefined, 'int32');
    const { value, gradients } = valueAndGradients(() => {
      const x = rmsNorm(embedding(table, ids), gain, 1e-5);
      const heads = rotary(tf.reshape(x, [2, n, 2, 4]), positions, 10_000);
      const attended = causalAttention(heads, heads, heads, { starts: Int32Array.of(0, 1) });
      const hidden = tf.reshape(swiglu(attended, heads), [-1, 8]);
      const targets = tf.reshape(ids, [-1]) as tf.Tensor1D;
      const logits = tf.matMul(hidden, table, false, true);
      const { logprobs, entropy } = selectedLogprobs(logits as tf.Tensor2D, targets, 0.7);
      return tf.mean(tf.add(logprobs, tf.mul(entropy, 0.1)));
    }, [table, gain]);
    tf.dispose([table, gain]);
    return [value, ...gradients.values()];
  },
};

/** Disposes what is not returned. */
const tidied = (compute: () => Tensor | Tensor[]): Tensor[] => [tf.tidy(compute)].flat();

onEachBackend('as a graph', (backend) => {
  // Else this file would pass where nothing waits.
  it.runIf(backend === 'tensorflow')('waits', () => {
    const { tensorMap } = tf.backend() as unknown as { tensorMap: { get(dataId: object): { id: number } } };
    const idOf = ({ dataId }: Tensor): number => tensorMap.get(dataId).id;
    const x = asGraph(() => {
      const squared = tf.tidy(() => tf.square(tf.add(draw(1, 3), 1)));
      expect(idOf(squared)).toBeLessThan(-1);
      return squared;
    });
    expect(idOf(x)).toBeGreaterThan(0);
    x.dispose();
  });

  for (const [what, compute] of Object.entries(cases))
    it.each([2, 3])(`${what}, size %i`, async (size) => {
      const [whole, single] = [asGraph(() => tidied(() => compute(size))), tidied(() => compute(size))];
      expect(whole.map(({ shape, dtype }) => ({ shape, dtype }))).toEqual(
        single.map(({ shape, dtype }) => ({ shape, dtype })),
      );
      for (const [i, tensor] of whole.entries()) {
        const expected = await (single[i] as Tensor).data();
        const values = await tensor.data();
        expect(values).toHaveLength(expected.length);
        values.forEach((value, j) => expect(value).toBeCloseTo(expected[j] as number, 5));
      }
      tf.dispose([whole, single]);
    });

  it('inside another is part of it', async () => {
    const sum = asGraph(() =>
      tf.tidy(() =>
        tf.add(
          asGraph(() => tf.square(3)),
          1,
        ),
      ),
    );
    expect([...(await sum.data())]).toEqual([10]);
    sum.dispose();
  });

  it('passes errors on, and the next one works', async () => {
    const fail = (): void =>
      asGraph(() =>
        tf.tidy(() => {
          tf.square(tf.add(draw(1, 3), 1));
          throw new Error('on purpose');
        }),
      );
    expect(fail).toThrow('on purpose');
    const doubled = asGraph(() => tf.tidy(() => tf.mul(draw(1, 3), 2)));
    expect(doubled.shape).toEqual([3]);
    expect((await doubled.data()).every(Number.isFinite)).toBe(true);
    doubled.dispose();
  });
});
