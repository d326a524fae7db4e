import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import {
  addLowRank,
  embedding,
  layerNorm,
  linear,
  matMul,
  reluSquared,
  rmsNorm,
  rotary,
  swiglu,
} from 'posttrain/tensor';
import { composedLayerNorm } from 'posttrain/tensor/layer-norm';
import { composedReluSquared } from 'posttrain/tensor/relu-squared';
import { composedRmsNorm } from 'posttrain/tensor/rms-norm';
import { composedRotary } from 'posttrain/tensor/rotary';
import { composedSwiglu } from 'posttrain/tensor/swiglu';
import { valuesOf } from '../values.js';
import { onEachBackend } from './backends.js';
import { expectMatches, largestError, normalInput, product, toTensor } from './reference.js';

onEachBackend('ops', (backend) => {
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

    it.each(product([1, 5, 7], [1, 8, 13], [1, 4, 11]))(
      '%i × %i over %i, any transposes',
      async (m, n, k) => {
        for (const tA of [false, true])
          for (const tB of [false, true])
            await expectMatches((a, b) => matMul(a, b, tA, tB), multiply(m!, n!, k!, tA, tB), [
              normalInput(1, ...shape(m!, k!, tA)),
              normalInput(2, ...shape(k!, n!, tB)),
            ]);
      },
    );

    // Several blocks of depth (384) and of columns (512), and sizes just beside the tile's.
    it.each([
      [6, 9, 1031],
      [4, 1033, 3],
      [11, 521, 401],
      [64, 16, 384],
    ])('%i × %i over %i: values only', async (m, n, k) => {
      for (const tA of [false, true])
        for (const tB of [false, true]) {
          const [a, b] = [normalInput(1, ...shape(m, k, tA)), normalInput(2, ...shape(k, n, tB))];
          const actual = await valuesOf(() => matMul(toTensor(a), toTensor(b), tA, tB));
          expect(largestError(actual, multiply(m, n, k, tA, tB)(a.values, b.values))).toBeLessThan(1e-4);
        }
    });

    it('broadcasts over the batch', async () => {
      await expectMatches(
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

  describe('linear', () => {
    const product = (x: Float64Array, w: Float64Array, out: number, size: number): Float64Array =>
      Float64Array.from({ length: (x.length / size) * out }, (_, at) => {
        const [row, o] = [Math.floor(at / out), at % out];
        let sum = 0;
        for (let i = 0; i < size; i++) sum += x[row * size + i]! * w[o * size + i]!;
        return sum;
      });

    // Whole tiles, and sizes beside them.
    it.each([
      [2, 3, 7, 5],
      [1, 12, 4, 16],
      [1, 1, 1, 1],
      [3, 5, 9, 13],
    ])('[%i, %i, %i] to %i features, alone, on a bias, on a residual', async (batch, length, size, out) => {
      const [x, w] = [normalInput(1, batch, length, size), normalInput(2, out, size)];
      const [bias, residual] = [normalInput(3, out), normalInput(4, batch, length, out)];
      await expectMatches(
        (x, w) => linear(x, w),
        (x, w) => product(x, w, out, size),
        [x, w],
      );
      for (const start of [bias, residual])
        await expectMatches(
          (x, w, start) => linear(x, w, start),
          (x, w, start) => product(x, w, out, size).map((value, i) => value + start[i % start.length]!),
          [x, w, start],
        );
    });

    it('adds a residual once, whatever blocks the product is cut into', async () => {
      const [x, w, start] = [normalInput(1, 7, 401), normalInput(2, 521, 401), normalInput(3, 7, 521)];
      const actual = await valuesOf(() => linear(toTensor(x), toTensor(w), toTensor(start)));
      const expected = product(x.values, w.values, 521, 401).map((value, i) => value + start.values[i]!);
      expect(largestError(actual, expected)).toBeLessThan(1e-4);
    });

    it('leaves what it adds to as it was', async () => {
      const before = normalInput(3, 6, 8);
      const start = await valuesOf(() => {
        const start = toTensor(before);
        linear(toTensor(normalInput(1, 6, 4)), toTensor(normalInput(2, 8, 4)), start);
        return start;
      });
      expect(start).toEqual(Float32Array.from(before.values));
    });

    it('says what does not fit', () => {
      expect(() => tf.tidy(() => linear(tf.zeros([2, 3]), tf.zeros([4, 5])))).toThrow(
        /does not fit weight \[4, 5\]/,
      );
      expect(() => tf.tidy(() => linear(tf.zeros([2, 3]), tf.zeros([4, 3]), tf.zeros([3])))).toThrow(
        /start must have shape \[4\]/,
      );
      expect(() => tf.tidy(() => linear(tf.zeros([2, 3]), tf.zeros([4, 3]), tf.zeros([4, 4])))).toThrow(
        /start must have shape \[2, 4\]/,
      );
    });
  });

  it.each([1, 2, 5])('addLowRank of rank %i is base + scale · x Aᵀ Bᵀ', async (r) => {
    const [rows, inSize, outSize, scale] = [6, 7, 4, 1.5];
    await expectMatches(
      (base, x, a, b) => addLowRank(base, x, a, b, scale),
      (base, x, a, b) =>
        base.map((value, at) => {
          const [row, o] = [Math.floor(at / outSize), at % outSize];
          let sum = 0;
          for (let k = 0; k < r; k++)
            for (let i = 0; i < inSize; i++) sum += x[row * inSize + i]! * a[k * inSize + i]! * b[o * r + k]!;
          return value + scale * sum;
        }),
      [
        normalInput(1, 2, rows / 2, outSize),
        normalInput(2, 2, rows / 2, inSize),
        normalInput(3, r, inSize),
        normalInput(4, outSize, r),
      ],
    );
    expect(() =>
      tf.tidy(() => addLowRank(tf.zeros([2, 4]), tf.zeros([2, 7]), tf.zeros([r, 7]), tf.zeros([r, 4]), 1)),
    ).toThrow(/b \[\d, 4\] do not fit x \[..., 7\] and base \[..., 4\]/);
  });

  it.each([1, 3, 8, 13])('embedding of size %i, repeated ids included', async (size) => {
    const ids = [3, 0, 3, 6, 3, 1];
    await expectMatches(
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

  it.each([1, 2, 5, 8, 31])('rmsNorm over %i features', async (size) => {
    const reference = (x: Float64Array, w: Float64Array): Float64Array =>
      x.map((value, at) => {
        const row = x.subarray(at - (at % size), at - (at % size) + size);
        const meanSquare = row.reduce((sum, v) => sum + v * v, 0) / size;
        return (value / Math.sqrt(meanSquare + 1e-3)) * w[at % size]!;
      });
    const inputs = [normalInput(1, 3, 2, size), normalInput(2, size)];
    await expectMatches((x, w) => rmsNorm(x, w, 1e-3), reference, inputs);
    await expectMatches((x, w) => composedRmsNorm(x, w, 1e-3), reference, inputs);
  });

  it.each([1, 2, 5, 8, 31])('layerNorm over %i features', async (size) => {
    const reference = (x: Float64Array, w: Float64Array, b: Float64Array): Float64Array =>
      x.map((value, at) => {
        const row = x.subarray(at - (at % size), at - (at % size) + size);
        const mean = row.reduce((sum, v) => sum + v, 0) / size;
        const variance = row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / size;
        return ((value - mean) / Math.sqrt(variance + 1e-3)) * w[at % size]! + b[at % size]!;
      });
    const inputs = [normalInput(1, 3, 2, size), normalInput(2, size), normalInput(3, size)];
    await expectMatches((x, w, b) => layerNorm(x, w, b, 1e-3), reference, inputs);
    await expectMatches((x, w, b) => composedLayerNorm(x, w, b, 1e-3), reference, inputs);
  });

  it('layerNorm keeps what is small beside a large mean', async () => {
    const out = await valuesOf(() => {
      const x = tf.tensor2d([10_000, 10_001, 10_002, 10_003, 10_004], [1, 5]);
      return layerNorm(x, tf.ones([5]), tf.zeros([5]), 1e-6);
    });
    const expected = [-2, -1, 0, 1, 2].map((x) => x / Math.SQRT2);
    expect(largestError(out, expected)).toBeLessThan(1e-4);
  });

  it('layerNorm says what does not fit', () => {
    expect(() => tf.tidy(() => layerNorm(tf.zeros([2, 3]), tf.ones([3]), tf.zeros([2]), 1e-5))).toThrow(
      /bias must have shape \[3\]/,
    );
  });

  it.each([2, 6, 8, 26])('rotary of head size %i', async (headDim) => {
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
    await expectMatches((x) => tf.tidy(() => rotary(x, at(), 10000)), reference, inputs);
    // Stock sine and cosine of angles near 300 are good to 1e-5 only; WGSL allows them an error of 2⁻¹¹.
    const tolerance = backend === 'webgpu' ? 1e-3 : 1e-4;
    await expectMatches((x) => tf.tidy(() => composedRotary(x, at(), 10000)), reference, inputs, tolerance);
  });

  it.each([1, 3, 4, 31])('swiglu of %i values', async (size) => {
    const reference = (gate: Float64Array, up: Float64Array): Float64Array =>
      gate.map((x, i) => (x / (1 + Math.exp(-x))) * up[i]!);
    const inputs = [normalInput(1, size), normalInput(2, size)];
    await expectMatches(swiglu, reference, inputs);
    await expectMatches(composedSwiglu, reference, inputs);
  });

  it.each([1, 3, 4, 31])('reluSquared of %i values', async (size) => {
    const reference = (x: Float64Array): Float64Array => x.map((value) => Math.max(value, 0) ** 2);
    const inputs = [normalInput(1, size)];
    await expectMatches(reluSquared, reference, inputs);
    await expectMatches(composedReluSquared, reference, inputs);
  });

  it('swiglu is right to a few units in the last place', async () => {
    const gates = Float32Array.from({ length: 1741 }, (_, i) => i / 10 - 87);
    const out = await valuesOf(() => swiglu(tf.tensor1d(gates), tf.ones([gates.length])));
    gates.forEach((x, i) => {
      const exact = x / (1 + Math.exp(-x));
      // WGSL allows exp(x) 3 + 2 |x| units in the last place.
      const tolerance = backend === 'webgpu' ? 6e-7 + 1.2e-7 * Math.abs(x) : 6e-7;
      expect(Math.abs(out[i]! - exact)).toBeLessThanOrEqual(tolerance * Math.abs(exact));
    });
  });

  it('swiglu is finite at the ends of the scale', async () => {
    const out = await valuesOf(() => swiglu(tf.tensor1d([-1000, -88, 88, 1000]), tf.ones([4])));
    expect(largestError(out, [0, 0, 88, 1000])).toBeLessThan(1e-6);
  });
});
