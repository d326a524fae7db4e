import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import type { Variable } from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { type MuonOptions, muonUpdate } from 'posttrain/tensor';
import { newtonSchulz } from 'posttrain/tensor/muon';
import { allValuesOf, valuesOf } from '../values.js';
import { onEachBackend } from './backends.js';
import { largestError, normalInput, toTensor } from './reference.js';

interface Golden {
  readonly shape: [number, number];
  readonly options: MuonOptions;
  readonly param: number[];
  readonly grads: number[][];
  readonly expected: { readonly param: number[]; readonly momentum: number[] };
}
const golden = JSON.parse(readFileSync(new URL('fixtures/muon.json', import.meta.url), 'utf8')) as Golden[];

const variable = (values: number[], shape: number[]): Variable =>
  tf.tidy(() => tf.variable(tf.tensor(values, shape), false));

onEachBackend('muonUpdate', () => {
  it.each(golden)(
    'takes PyTorch’s steps, $shape, $options',
    async ({ shape, options, param, grads, expected }) => {
      const weights = variable(param, shape);
      const momentum = variable(
        param.map(() => 0),
        shape,
      );
      for (const grad of grads) {
        // Twice the gradient at half its size: how a clipped norm comes in.
        tf.tidy(() =>
          muonUpdate(weights, tf.mul(tf.tensor(grad, shape), 2), momentum, { ...options, gradScale: 0.5 }),
        );
      }
      expect(largestError(await weights.data(), expected.param)).toBeLessThan(2e-5);
      expect(largestError(await momentum.data(), expected.momentum)).toBeLessThan(1e-6);
      tf.dispose([weights, momentum]);
    },
  );

  describe('newtonSchulz', () => {
    it('keeps the directions and brings singular values near 1', async () => {
      const sizes = [0.02, 0.1, 0.3, 0.5, 0.8, 1];
      for (const [rows, columns] of [
        [6, 9],
        [9, 6],
      ] as const) {
        const padding: [number, number][] = [
          [0, rows - 6],
          [0, columns - 6],
        ];
        const values = await valuesOf(() => newtonSchulz(tf.pad(tf.diag(tf.tensor1d(sizes)), padding)));
        for (let i = 0; i < rows; i++)
          for (let j = 0; j < columns; j++) {
            const value = values[i * columns + j] as number;
            if (i !== j) expect(value).toBe(0);
            else {
              expect(value).toBeGreaterThan(0.65);
              expect(value).toBeLessThan(1.25);
            }
          }
      }
    });

    it('gives the transpose of the transpose, whatever the size of the gradient', async () => {
      const [tall, wide] = await allValuesOf(() => {
        const x = toTensor(normalInput(1, 13, 7));
        return [newtonSchulz(x), tf.transpose(newtonSchulz(tf.transpose(tf.mul(x, 1e-3))))];
      });
      expect(largestError(wide!, tall!)).toBeLessThan(1e-5);
    });

    it('leaves a matrix of zeros as it is', async () => {
      const values = await valuesOf(() => newtonSchulz(tf.zeros([2, 3])));
      expect(largestError(values, [0, 0, 0, 0, 0, 0])).toBe(0);
    });
  });

  it('takes matrices only', () => {
    tf.tidy(() => {
      const [x, m] = [variable([1, 2], [2]), variable([1, 2], [2])];
      const options: MuonOptions = { lr: 1, momentum: 0.9, weightDecay: 0, adjustLrFn: 'original' };
      expect(() => muonUpdate(x, tf.zeros([2]), m, options)).toThrow(/param must have shape \[\*, \*\]/);
      tf.dispose([x, m]);
    });
  });
});
