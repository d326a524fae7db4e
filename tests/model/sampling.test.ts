import * as tf from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import type { SamplingParams } from 'posttrain/model';
import { type Draw, drawToken, initBackend } from 'posttrain/tensor';
import { nextTokenProbabilities } from 'posttrain/tensor/sample-tokens';
import { beforeAll, describe, expect, it } from 'vitest';

beforeAll(() => initBackend({ backend: 'wasm' }));

const params = (changes: Partial<SamplingParams> = {}): SamplingParams => ({
  maxNewTokens: 1,
  temperature: 1,
  stopTokens: [],
  ...changes,
});
const logitsOf = (probabilities: number[]): Float32Array => Float32Array.from(probabilities, Math.log);

function probabilitiesOf(logits: Float32Array, temperature: number): Float32Array {
  return tf.tidy(() =>
    nextTokenProbabilities(tf.tensor2d(logits, [1, logits.length]), temperature).dataSync<'float32'>(),
  );
}

const draw = (logits: Float32Array, changes: Partial<SamplingParams>, uniform: number): Draw =>
  drawToken(probabilitiesOf(logits, changes.temperature ?? 1), params(changes), uniform);

/** The distribution `drawToken` draws from, measured on a fine grid of uniforms. */
function frequencies(logits: Float32Array, changes: Partial<SamplingParams>): number[] {
  const counts = new Array<number>(logits.length).fill(0);
  const grid = 10_000;
  const probabilities = probabilitiesOf(logits, changes.temperature ?? 1);
  for (let i = 0; i < grid; i++) {
    const { token } = drawToken(probabilities, params(changes), (i + 0.5) / grid);
    counts[token] = counts[token]! + 1 / grid;
  }
  return counts;
}

describe('drawToken', () => {
  it('samples at the temperature, and reports log-probabilities at it', () => {
    // logits [0, ln 3] at T = .5 are [0, ln 9]: [.1, .9]; at T = 1 they would be [.25, .75].
    const logits = Float32Array.of(0, Math.log(3));
    const measured = frequencies(logits, { temperature: 0.5 });
    expect(measured[0]).toBeCloseTo(0.1, 3);
    expect(Math.exp(draw(logits, { temperature: 0.5 }, 0).logprob)).toBeCloseTo(0.1, 6);
    expect(Math.exp(draw(logits, { temperature: 0.5 }, 0.99).logprob)).toBeCloseTo(0.9, 6);
  });

  it('renormalises over the topK most likely', () => {
    const logits = logitsOf([0.2, 0.5, 0.3]);
    expect(frequencies(logits, { topK: 2 })[0]).toBe(0);
    expect(Math.exp(draw(logits, { topK: 2 }, 0).logprob)).toBeCloseTo(0.625, 6);
  });

  it.each([
    [0.4, [0, 1, 0]],
    [0.51, [0, 0.625, 0.375]],
    [0.79, [0, 0.625, 0.375]],
    [0.81, [0.2, 0.5, 0.3]],
    [1e-9, [0, 1, 0]],
  ])('topP %f keeps the smallest set with that probability', (topP, expected) => {
    const measured = frequencies(logitsOf([0.2, 0.5, 0.3]), { topP });
    expected.forEach((probability, i) => expect(measured[i]).toBeCloseTo(probability, 3));
  });

  it('applies topP to what topK left', () => {
    // topK 2 leaves [.625, .375]; topP .6 then keeps only the first.
    expect(frequencies(logitsOf([0.2, 0.5, 0.3]), { topK: 2, topP: 0.6 })).toEqual([0, expect.closeTo(1), 0]);
  });

  it('is greedy at temperature 0: the smaller id of two equals, log-probability at temperature 1', () => {
    const { token, logprob } = draw(logitsOf([0.2, 0.4, 0.4]), { temperature: 0 }, 0.99);
    expect(token).toBe(1);
    expect(Math.exp(logprob)).toBeCloseTo(0.4, 6);
  });

  it('draws a possible token with its probability, for any logits and filters', () => {
    const logits = fc.array(fc.float({ min: -50, max: 50, noNaN: true }), { minLength: 1, maxLength: 20 });
    const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(logits, uniform, fc.integer({ min: 0, max: 5 }), uniform, (values, u, topK, dropped) => {
        const { token, logprob } = draw(Float32Array.from(values), { topK, topP: 1 - dropped }, u);
        expect(values[token]).toBeDefined();
        expect(logprob).toBeLessThanOrEqual(0);
        expect(Number.isFinite(logprob)).toBe(true);
      }),
    );
  });

  it.each([[[NaN, 0]], [[0, NaN]], [[0, Infinity]], [[-Infinity, -Infinity]]])(
    'refuses logits %j',
    (values) => {
      expect(() => draw(Float32Array.from(values), {}, 0.5)).toThrow(/not finite/);
      expect(() => draw(Float32Array.from(values), { temperature: 0 }, 0.5)).toThrow(/not finite/);
    },
  );
});
