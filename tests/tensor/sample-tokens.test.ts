import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DrawTokenOptions, randomStream, sampleTokens } from 'posttrain/tensor';
import { composedSampleTokens } from 'posttrain/tensor/sample-tokens';
import { onEachBackend } from './backends.js';

const every: DrawTokenOptions[] = [0, 0.3, 1, 1.7].flatMap((temperature) =>
  [{}, { topK: 1 }, { topK: 7 }, { topP: 0.9 }, { topP: 0.2, topK: 40 }, { topK: 5000 }].map((filter) => ({
    temperature,
    ...filter,
  })),
);

onEachBackend('sampleTokens', (backend) => {
  const logitsOf = (rows: number[][]): Tensor => tf.tensor2d(rows);

  // Sizes around the vectors, primes, and the vocabulary of the base model.
  it.each([1, 2, 3, 4, 5, 6, 7, 13, 31, 257, 1536])(
    'is, bit for bit, the draw from the stock softmax, over %i tokens',
    async (vocab) => {
      const random = randomStream(vocab, 'logits');
      const rows = Array.from({ length: 6 }, (_, row) =>
        // Rounded, so that there are equals; the last rows are sharp enough for probabilities of 0.
        Array.from({ length: vocab }, () => Math.round(random.normal() * 8) * (row < 4 ? 0.25 : 6)),
      );
      if (vocab > 2) rows[0]![vocab - 1] = -Infinity;
      const logits = logitsOf(rows);
      const chosen = Int32Array.of(5, 0, 3, 0, 1, 2, 4);
      const uniforms = [0, 1 - 2 ** -53, ...Array.from({ length: 5 }, () => random.uniform())];
      for (const options of every) {
        const draws = await sampleTokens(logits, chosen, uniforms, options);
        expect(draws).toEqual(await composedSampleTokens(logits, chosen, uniforms, options));
      }
      logits.dispose();
    },
  );

  it('agrees for any logits, filters and uniforms', async () => {
    const number = fc.float({ min: -100, max: 100, noNaN: true });
    const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const options = fc.record({
      temperature: fc.constantFrom(0, 0.1, 0.7, 1, 3),
      topK: fc.integer({ min: 0, max: 12 }),
      topP: fc.double({ min: 1e-3, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { minLength: 1, maxLength: 20 }),
        uniform,
        options,
        async (row, u, o) => {
          const logits = logitsOf([row]);
          const draws = await sampleTokens(logits, Int32Array.of(0), [u], o);
          expect(draws).toEqual(await composedSampleTokens(logits, Int32Array.of(0), [u], o));
          logits.dispose();
        },
      ),
      { numRuns: backend === 'wasm' ? 300 : 20 },
    );
  });

  it('takes the smaller id of two equals, greedy or at the edge of topK and topP', async () => {
    const logits = logitsOf([[0, 2, 2, 2]]);
    for (const options of [{ temperature: 0 }, { temperature: 1, topK: 1 }, { temperature: 1, topP: 0.1 }])
      expect((await sampleTokens(logits, Int32Array.of(0), [0.99], options))[0]?.token).toBe(1);
    logits.dispose();
  });

  it('refuses logits that are not finite, in the rows that are drawn from', async () => {
    for (const row of [
      [NaN, 0],
      [0, Infinity],
      [-Infinity, -Infinity],
    ]) {
      const logits = logitsOf([[0, 0], row]);
      for (const options of [{ temperature: 0 }, { temperature: 1 }, { temperature: 1, topK: 1 }]) {
        await expect(sampleTokens(logits, Int32Array.of(0, 1), [0.5, 0.5], options)).rejects.toThrow(
          /not finite/,
        );
        expect(await sampleTokens(logits, Int32Array.of(0), [0.5], options)).toHaveLength(1);
      }
      logits.dispose();
    }
  });

  it('says which row does not exist', async () => {
    const logits = logitsOf([[0, 0]]);
    const draw = (row: number, uniforms: number[]): Promise<unknown> =>
      sampleTokens(logits, Int32Array.of(row), uniforms, { temperature: 1 });
    await expect(draw(1, [0.5])).rejects.toThrow(/rows must lie in \[0, 1\), got 1/);
    await expect(draw(0, [])).rejects.toThrow(/1 rows, but 0 uniforms/);
    logits.dispose();
  });
});
