import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { causalAttention } from 'posttrain/tensor';
import { composedCausalAttention } from 'posttrain/tensor/causal-attention';
import { allValuesOf, valuesOf } from '../values.js';
import { onEachBackend } from './backends.js';
import { expectMatches, largestError, normalInput, toTensor } from './reference.js';

onEachBackend('causalAttention', (backend) => {
  /** Plain loops; rows before `starts[b]` are 0. */
  const attend =
    (batch: number, length: number, heads: number, kvHeads: number, size: number, starts: number[]) =>
    (q: Float64Array, k: Float64Array, v: Float64Array): Float64Array => {
      const out = new Float64Array(q.length);
      const query = (b: number, t: number, h: number): number => ((b * length + t) * heads + h) * size;
      const key = (b: number, t: number, h: number): number =>
        ((b * length + t) * kvHeads + Math.floor((h * kvHeads) / heads)) * size;
      for (let b = 0; b < batch; b++)
        for (let h = 0; h < heads; h++)
          for (let t = starts[b]!; t < length; t++) {
            const weights: number[] = [];
            for (let s = starts[b]!; s <= t; s++) {
              let score = 0;
              for (let d = 0; d < size; d++) score += q[query(b, t, h) + d]! * k[key(b, s, h) + d]!;
              weights.push(Math.exp(score / Math.sqrt(size)));
            }
            const sum = weights.reduce((x, y) => x + y, 0);
            weights.forEach((weight, i) => {
              for (let d = 0; d < size; d++)
                out[query(b, t, h) + d]! += (weight / sum) * v[key(b, starts[b]! + i, h) + d]!;
            });
          }
      return out;
    };

  it.each([
    { length: 1, heads: 1, kvHeads: 1, size: 1, starts: [0, 0] },
    { length: 5, heads: 2, kvHeads: 2, size: 8, starts: [0, 0] },
    { length: 7, heads: 4, kvHeads: 2, size: 3, starts: [0, 4] },
    { length: 13, heads: 3, kvHeads: 1, size: 5, starts: [7, 13] },
    { length: 17, heads: 2, kvHeads: 1, size: 4, starts: [0, 16] },
    { length: 66, heads: 1, kvHeads: 1, size: 2, starts: [33, 65] },
  ])(
    'length $length, $heads heads of $size over $kvHeads, starting at $starts',
    async ({ length, heads, kvHeads, size, starts }) => {
      const reference = attend(2, length, heads, kvHeads, size, starts);
      const inputs = [
        normalInput(1, 2, length, heads, size),
        normalInput(2, 2, length, kvHeads, size),
        normalInput(3, 2, length, kvHeads, size),
      ];
      await expectMatches(
        (q, k, v) => causalAttention(q, k, v, { starts: Int32Array.from(starts) }),
        reference,
        inputs,
        3e-5,
      );
      await expectMatches(
        (q, k, v) => tf.tidy(() => composedCausalAttention(q, k, v, tf.tensor1d(starts, 'int32'))),
        reference,
        inputs,
        3e-5,
      );
    },
  );

  it('does not see NaN and Infinity before the start of a row', async () => {
    const [length, size] = [9, 4];
    const starts = Int32Array.of(3, 0);
    const clean = [1, 2, 3].map((seed) => normalInput(seed, 2, length, 2, size));
    const soiled = clean.map(({ shape, values }, which) => ({
      shape,
      values: values.map((x, at) => (at < 3 * 2 * size ? (which === 1 ? Infinity : NaN) : x)),
    }));
    const run = (inputs: typeof clean): Promise<Float32Array[]> =>
      allValuesOf(() => {
        const tensors = inputs.map(toTensor);
        const attention = (q: Tensor, k: Tensor, v: Tensor): Tensor => causalAttention(q, k, v, { starts });
        const loss = (q: Tensor, k: Tensor, v: Tensor): tf.Scalar =>
          tf.sum(tf.square(attention(q, k, v))) as tf.Scalar;
        return [attention(...(tensors as [Tensor, Tensor, Tensor])), ...tf.grads(loss as never)(tensors)];
      });
    const [expected, actual] = [await run(clean), await run(soiled)];
    expected.forEach((values, i) => expect(largestError(actual[i]!, values)).toBeLessThan(1e-6));
  });

  it.runIf(backend === 'wasm' || backend === 'webgpu')('does not see NaN in later positions', async () => {
    const [length, size] = [9, 4];
    const inputs = [1, 2, 3].map((seed) => normalInput(seed, 1, length, 1, size));
    for (let last = 0; last < length - 1; last++) {
      const [actual, expected] = await allValuesOf(() => {
        const [q, k, v] = inputs.map(toTensor) as [Tensor, Tensor, Tensor];
        const soil = (x: Tensor): Tensor =>
          tf.concat(
            [tf.slice(x, 0, [1, last + 1, 1, size]), tf.fill([1, length - last - 1, 1, size], NaN)],
            1,
          );
        return [causalAttention(soil(q), soil(k), soil(v)), causalAttention(q, k, v)];
      });
      const seen = (x: Float32Array | undefined): Float32Array => x!.slice(0, (last + 1) * size);
      expect(largestError(seen(actual), seen(expected))).toBeLessThan(1e-6);
    }
  });

  it('keeps a large score from overflowing', async () => {
    const actual = await valuesOf(() => {
      const q = tf.fill([1, 3, 1, 4], 100);
      const v = tf.tensor4d([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], [1, 3, 1, 4]);
      return causalAttention(q, q, v);
    });
    expect(largestError(actual, [1, 1, 1, 1, 1.5, 1.5, 1.5, 1.5, 2, 2, 2, 2])).toBeLessThan(1e-6);
  });

  it('says what is wrong with its arguments', () => {
    tf.tidy(() => {
      const q = tf.zeros([1, 4, 3, 2]);
      expect(() => causalAttention(q, tf.zeros([1, 4, 2, 2]), tf.zeros([1, 4, 2, 2]))).toThrow(
        /2 key-value heads do not divide 3/,
      );
      expect(() => causalAttention(q, tf.zeros([1, 5, 3, 2]), q)).toThrow(
        /k must have shape \[1, 4, \*, 2\]/,
      );
      expect(() => causalAttention(q, q, q, { starts: Int32Array.of(5) })).toThrow(
        /starts must lie in \[0, 4\], got 5 in row 0/,
      );
    });
  });
});
