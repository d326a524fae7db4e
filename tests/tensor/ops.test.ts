import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  causalAttention,
  embedding,
  initBackend,
  linear,
  matMul,
  rmsNorm,
  rotary,
  selectedLogprobs,
  swiglu,
} from 'posttrain/tensor';
import { composedCausalAttention } from 'posttrain/tensor/causal-attention';
import { composedRmsNorm } from 'posttrain/tensor/rms-norm';
import { composedRotary } from 'posttrain/tensor/rotary';
import { composedSelectedLogprobs } from 'posttrain/tensor/selected-logprobs';
import { composedSwiglu } from 'posttrain/tensor/swiglu';
import { expectMatches, largestError, normalInput, toTensor } from './reference.js';

/** Every combination of the given sizes. */
const product = (...axes: number[][]): number[][] =>
  axes.reduce<number[][]>((rows, axis) => rows.flatMap((row) => axis.map((size) => [...row, size])), [[]]);

describe.each(['wasm', 'cpu'] as const)('ops on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });
  let tensorsBefore = 0;
  beforeEach(() => {
    tensorsBefore = tf.memory().numTensors;
  });
  afterEach(() => expect(tf.memory().numTensors).toBe(tensorsBefore));

  describe('matMul', () => {
    const multiply =
      (m: number, n: number, k: number, tA: boolean, tB: boolean) =>
      (a: Float64Array, b: Float64Array): Float64Array =>
        Float64Array.from({ length: m * n }, (_, at) => {
          const [i, j] = [Math.floor(at / n), at % n];
          let sum = 0;
          for (let p = 0; p < k; p++) sum += a[tA ? p * m + i : i * k + p]! * b[tB ? j * k + p : p * n + j]!;
          return sum;
        });
    const shape = (rows: number, columns: number, transposed: boolean): number[] =>
      transposed ? [columns, rows] : [rows, columns];

    it.each(product([1, 5, 7], [1, 8, 13], [1, 4, 11]))('%i × %i over %i, any transposes', (m, n, k) => {
      for (const tA of [false, true])
        for (const tB of [false, true])
          expectMatches((a, b) => matMul(a, b, tA, tB), multiply(m!, n!, k!, tA, tB), [
            normalInput(1, ...shape(m!, k!, tA)),
            normalInput(2, ...shape(k!, n!, tB)),
          ]);
    });

    // Several blocks of depth (384) and of columns (512), and sizes just beside the tile's.
    it.each([
      [6, 9, 1031],
      [4, 1033, 3],
      [11, 521, 401],
      [64, 16, 384],
    ])('%i × %i over %i: values only', (m, n, k) => {
      for (const tA of [false, true])
        for (const tB of [false, true]) {
          const [a, b] = [normalInput(1, ...shape(m, k, tA)), normalInput(2, ...shape(k, n, tB))];
          const actual = tf.tidy(() => matMul(toTensor(a), toTensor(b), tA, tB).dataSync());
          expect(largestError(actual, multiply(m, n, k, tA, tB)(a.values, b.values))).toBeLessThan(1e-4);
        }
    });

    it('broadcasts over the batch', () => {
      expectMatches(
        (x, y) => matMul(x, y),
        (x, y) => {
          const out = new Float64Array(5 * 3 * 2);
          for (let j = 0; j < 5; j++)
            out.set(multiply(3, 2, 4, false, false)(x, y.subarray(j * 8, j * 8 + 8)), j * 6);
          return out;
        },
        [normalInput(1, 1, 3, 4), normalInput(2, 5, 4, 2)],
      );
    });

    it('says which sizes do not fit', () => {
      expect(() => tf.tidy(() => matMul(tf.zeros([2, 3]), tf.zeros([2, 3])))).toThrow(/3.*2|inner/);
    });
  });

  it('linear is x Wᵀ + b', () => {
    expectMatches(
      (x, w, b) => linear(x, w, b),
      (x, w, b) =>
        Float64Array.from({ length: 2 * 3 * 5 }, (_, at) => {
          const [row, o] = [Math.floor(at / 5), at % 5];
          let sum = b[o]!;
          for (let i = 0; i < 7; i++) sum += x[row * 7 + i]! * w[o * 7 + i]!;
          return sum;
        }),
      [normalInput(1, 2, 3, 7), normalInput(2, 5, 7), normalInput(3, 5)],
    );
    expect(() => tf.tidy(() => linear(tf.zeros([2, 3]), tf.zeros([4, 5])))).toThrow(
      /does not fit weight \[4, 5\]/,
    );
  });

  it.each([1, 3, 8, 13])('embedding of size %i, repeated ids included', (size) => {
    const ids = [3, 0, 3, 6, 3, 1];
    expectMatches(
      (table) => tf.tidy(() => embedding(table, tf.tensor2d(ids, [2, 3], 'int32'))),
      (table) => Float64Array.from(ids.flatMap((id) => [...table.subarray(id * size, id * size + size)])),
      [normalInput(1, 7, size)],
    );
  });

  it('embedding refuses ids outside the table', () => {
    for (const id of [-1, 7])
      expect(() => tf.tidy(() => embedding(tf.zeros([7, 2]), tf.tensor1d([0, id], 'int32')))).toThrow(
        new RegExp(`ids must lie in \\[0, 7\\), got ${id} at position 1`),
      );
  });

  it.each([1, 2, 5, 8, 31])('rmsNorm over %i features', (size) => {
    const reference = (x: Float64Array, w: Float64Array): Float64Array =>
      x.map((value, at) => {
        const row = x.subarray(at - (at % size), at - (at % size) + size);
        const meanSquare = row.reduce((sum, v) => sum + v * v, 0) / size;
        return (value / Math.sqrt(meanSquare + 1e-3)) * w[at % size]!;
      });
    const inputs = [normalInput(1, 3, 2, size), normalInput(2, size)];
    expectMatches((x, w) => rmsNorm(x, w, 1e-3), reference, inputs);
    expectMatches((x, w) => composedRmsNorm(x, w, 1e-3), reference, inputs);
  });

  it.each([2, 6, 8, 26])('rotary of head size %i', (headDim) => {
    const positions = [0, 1, 300, 7, 2, 129];
    const half = headDim / 2;
    const reference = (x: Float64Array): Float64Array =>
      x.map((value, at) => {
        const d = at % headDim;
        const position = positions[Math.floor(at / (headDim * 3))]!;
        const angle = Math.fround(position * Math.fround(1 / 10000 ** ((2 * (d % half)) / headDim)));
        const partner = d < half ? -x[at + half]! : x[at - half]!;
        return value * Math.cos(angle) + partner * Math.sin(angle);
      });
    const at = (): Tensor => tf.tensor2d(positions, [2, 3], 'int32');
    const inputs = [normalInput(1, 2, 3, 3, headDim)];
    expectMatches((x) => tf.tidy(() => rotary(x, at(), 10000)), reference, inputs);
    // Stock sine and cosine of angles near 300 are good to 1e-5 only.
    expectMatches((x) => tf.tidy(() => composedRotary(x, at(), 10000)), reference, inputs, 1e-4);
  });

  it.each([1, 3, 4, 31])('swiglu of %i values', (size) => {
    const reference = (gate: Float64Array, up: Float64Array): Float64Array =>
      gate.map((x, i) => (x / (1 + Math.exp(-x))) * up[i]!);
    const inputs = [normalInput(1, size), normalInput(2, size)];
    expectMatches(swiglu, reference, inputs);
    expectMatches(composedSwiglu, reference, inputs);
  });

  it('swiglu is right to a few units in the last place', () => {
    const gates = Float32Array.from({ length: 1741 }, (_, i) => i / 10 - 87);
    const out = tf.tidy(() => swiglu(tf.tensor1d(gates), tf.ones([gates.length])).dataSync());
    gates.forEach((x, i) => {
      const exact = x / (1 + Math.exp(-x));
      expect(Math.abs(out[i]! - exact)).toBeLessThanOrEqual(6e-7 * Math.abs(exact));
    });
  });

  it('swiglu is finite at the ends of the scale', () => {
    const out = tf.tidy(() => swiglu(tf.tensor1d([-1000, -88, 88, 1000]), tf.ones([4])).dataSync());
    expect(largestError(out, [0, 0, 88, 1000])).toBeLessThan(1e-6);
  });

  describe('selectedLogprobs', () => {
    const logSoftmax = (
      logits: Float64Array,
      row: number,
      vocab: number,
      temperature: number,
    ): Float64Array => {
      const scaled = logits.slice(row * vocab, row * vocab + vocab).map((x) => x / temperature);
      const largest = Math.max(...scaled);
      const logSum = largest + Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - largest), 0));
      return scaled.map((x) => x - logSum);
    };

    it.each(product([1, 2, 7, 16, 37], [0.5, 1, 3]))(
      'over %i tokens at temperature %d',
      (vocab, temperature) => {
        const targets = [0, vocab! - 1, Math.floor(vocab! / 2)];
        const reference = (logits: Float64Array): Float64Array =>
          Float64Array.from(targets, (target, row) => logSoftmax(logits, row, vocab!, temperature!)[target]!);
        const ids = (): Tensor => tf.tensor1d(targets, 'int32');
        const inputs = [normalInput(1, 3, vocab!)];
        expectMatches(
          (logits) => tf.tidy(() => selectedLogprobs(logits, ids(), temperature).logprobs),
          reference,
          inputs,
        );
        expectMatches(
          (logits) => tf.tidy(() => composedSelectedLogprobs(logits, ids(), temperature!)[0]),
          reference,
          inputs,
        );
        const entropies = Float64Array.from(
          targets,
          (_, row) =>
            -logSoftmax(inputs[0]!.values, row, vocab!, temperature!).reduce(
              (sum, l) => sum + Math.exp(l) * l,
              0,
            ),
        );
        for (const entropy of [
          tf.tidy(() => selectedLogprobs(toTensor(inputs[0]!), ids(), temperature).entropy.dataSync()),
          tf.tidy(() => composedSelectedLogprobs(toTensor(inputs[0]!), ids(), temperature!)[1].dataSync()),
        ])
          expect(largestError(entropy, entropies)).toBeLessThan(1e-5);
      },
    );

    it('divides by the temperature: [0, ln 3] at 0.5 is [0.1, 0.9]', () => {
      tf.tidy(() => {
        const logits = tf.tensor2d([0, Math.log(3), 0, Math.log(3)], [2, 2]);
        const { logprobs } = selectedLogprobs(logits, tf.tensor1d([0, 1], 'int32'), 0.5);
        expect(largestError(logprobs.dataSync(), [Math.log(0.1), Math.log(0.9)])).toBeLessThan(1e-6);
      });
    });

    it('takes -Infinity as impossible and survives large logits', () => {
      tf.tidy(() => {
        const logits = tf.tensor2d([1000, -Infinity, 1000, 0, 500, -Infinity], [2, 3]);
        const { logprobs, entropy } = selectedLogprobs(logits, tf.tensor1d([0, 1], 'int32'));
        expect(largestError(logprobs.dataSync(), [-Math.LN2, 0])).toBeLessThan(1e-6);
        expect(largestError(entropy.dataSync(), [Math.LN2, 0])).toBeLessThan(1e-6);
      });
    });

    it('sends no gradient through the entropy', () => {
      tf.tidy(() => {
        const gradient = tf.grad((logits: Tensor) => {
          const { logprobs, entropy } = selectedLogprobs(logits, tf.tensor1d([1], 'int32'));
          return tf.add(tf.sum(logprobs), tf.mul(tf.sum(entropy), 1000)) as tf.Scalar;
        })(tf.tensor2d([0, 0], [1, 2]));
        expect(largestError(gradient.dataSync(), [-0.5, 0.5])).toBeLessThan(1e-6);
      });
    });

    it('refuses targets outside the vocabulary and temperatures that are not positive', () => {
      tf.tidy(() => {
        const logits = tf.zeros([1, 3]);
        expect(() => selectedLogprobs(logits, tf.tensor1d([3], 'int32'))).toThrow(
          /targets must lie in \[0, 3\), got 3/,
        );
        for (const temperature of [0, -1, NaN, Infinity])
          expect(() => selectedLogprobs(logits, tf.tensor1d([0], 'int32'), temperature)).toThrow(/positive/);
      });
    });
  });

  describe('causalAttention', () => {
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
    ])(
      'length $length, $heads heads of $size over $kvHeads, starting at $starts',
      ({ length, heads, kvHeads, size, starts }) => {
        const reference = attend(2, length, heads, kvHeads, size, starts);
        const inputs = [
          normalInput(1, 2, length, heads, size),
          normalInput(2, 2, length, kvHeads, size),
          normalInput(3, 2, length, kvHeads, size),
        ];
        expectMatches(
          (q, k, v) => causalAttention(q, k, v, { starts: Int32Array.from(starts) }),
          reference,
          inputs,
          3e-5,
        );
        expectMatches(
          (q, k, v) => tf.tidy(() => composedCausalAttention(q, k, v, tf.tensor1d(starts, 'int32'))),
          reference,
          inputs,
          3e-5,
        );
      },
    );

    it('does not see NaN and Infinity before the start of a row', () => {
      const [length, size] = [9, 4];
      const starts = Int32Array.of(3, 0);
      const clean = [1, 2, 3].map((seed) => normalInput(seed, 2, length, 2, size));
      const soiled = clean.map(({ shape, values }, which) => ({
        shape,
        values: values.map((x, at) => (at < 3 * 2 * size ? (which === 1 ? Infinity : NaN) : x)),
      }));
      const run = (inputs: typeof clean): number[][] =>
        tf.tidy(() => {
          const tensors = inputs.map(toTensor);
          const attention = (q: Tensor, k: Tensor, v: Tensor): Tensor => causalAttention(q, k, v, { starts });
          const loss = (q: Tensor, k: Tensor, v: Tensor): tf.Scalar =>
            tf.sum(tf.square(attention(q, k, v))) as tf.Scalar;
          return [
            attention(...(tensors as [Tensor, Tensor, Tensor])),
            ...tf.grads(loss as never)(tensors),
          ].map((x) => [...x.dataSync()]);
        });
      const [expected, actual] = [run(clean), run(soiled)];
      expected.forEach((values, i) => expect(largestError(actual[i]!, values)).toBeLessThan(1e-6));
    });

    it.runIf(backend === 'wasm')('does not see NaN in later positions', () => {
      const [length, size] = [9, 4];
      const inputs = [1, 2, 3].map((seed) => normalInput(seed, 1, length, 1, size));
      for (let last = 0; last < length - 1; last++)
        tf.tidy(() => {
          const seen = (x: Tensor): Float32Array => x.dataSync<'float32'>().slice(0, (last + 1) * size);
          const [q, k, v] = inputs.map(toTensor) as [Tensor, Tensor, Tensor];
          const soil = (x: Tensor): Tensor =>
            tf.concat(
              [tf.slice(x, 0, [1, last + 1, 1, size]), tf.fill([1, length - last - 1, 1, size], NaN)],
              1,
            );
          const soiled = causalAttention(soil(q), soil(k), soil(v));
          expect(largestError(seen(soiled), seen(causalAttention(q, k, v)))).toBeLessThan(1e-6);
        });
    });

    it('keeps a large score from overflowing', () => {
      tf.tidy(() => {
        const q = tf.fill([1, 3, 1, 4], 100);
        const v = tf.tensor4d([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], [1, 3, 1, 4]);
        expect(
          largestError(causalAttention(q, q, v).dataSync(), [1, 1, 1, 1, 1.5, 1.5, 1.5, 1.5, 2, 2, 2, 2]),
        ).toBeLessThan(1e-6);
      });
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
});
