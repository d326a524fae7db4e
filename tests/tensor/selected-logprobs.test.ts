import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { expect, it, vi } from 'vitest';
import { linear, selectedLogprobs, type SelectedLogprobs } from 'posttrain/tensor';
import { composedSelectedLogprobs } from 'posttrain/tensor/selected-logprobs';
import { allValuesOf, valuesOf } from '../values.js';
import { onEachBackend } from './backends.js';
import { expectMatches, largestError, normalInput, product, toTensor } from './reference.js';

/** Most bytes of wasm memory that kernels' outputs took at a time. `tf.memory` counts a buffer as often as it is shared. */
function peakBytes(run: () => void): number {
  const backend = tf.backend() as BackendWasm;
  const outputs: { readonly dataId: object; readonly bytes: number }[] = [];
  let peak = 0;
  const makeOutput = backend.makeOutput.bind(backend);
  const spy = vi.spyOn(backend, 'makeOutput').mockImplementation((shape, ...rest) => {
    const output = makeOutput(shape, ...rest);
    outputs.push({ dataId: output.dataId, bytes: 4 * tf.util.sizeFromShape(shape) });
    const live = outputs.filter(({ dataId }) => backend.dataIdMap.has(dataId));
    peak = Math.max(
      peak,
      live.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    return output;
  });
  tf.tidy(run);
  spy.mockRestore();
  return peak;
}

onEachBackend('selectedLogprobs', (backend) => {
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
    async (vocab, temperature) => {
      const targets = [0, vocab! - 1, Math.floor(vocab! / 2)];
      const reference = (logits: Float64Array): Float64Array =>
        Float64Array.from(targets, (target, row) => logSoftmax(logits, row, vocab!, temperature!)[target]!);
      const ids = (): Tensor => tf.tensor1d(targets, 'int32');
      const inputs = [normalInput(1, 3, vocab!)];
      await expectMatches(
        (logits) => tf.tidy(() => selectedLogprobs(logits, ids(), temperature).logprobs),
        reference,
        inputs,
      );
      await expectMatches(
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
        await valuesOf(() => selectedLogprobs(toTensor(inputs[0]!), ids(), temperature).entropy),
        await valuesOf(() => composedSelectedLogprobs(toTensor(inputs[0]!), ids(), temperature!)[1]),
      ])
        expect(largestError(entropy, entropies)).toBeLessThan(1e-5);
    },
  );

  it('divides by the temperature: [0, ln 3] at 0.5 is [0.1, 0.9]', async () => {
    const logprobs = await valuesOf(() => {
      const logits = tf.tensor2d([0, Math.log(3), 0, Math.log(3)], [2, 2]);
      return selectedLogprobs(logits, tf.tensor1d([0, 1], 'int32'), 0.5).logprobs;
    });
    expect(largestError(logprobs, [Math.log(0.1), Math.log(0.9)])).toBeLessThan(1e-6);
  });

  it('takes -Infinity as impossible and survives large logits', async () => {
    const [logprobs, entropy, gradient] = await allValuesOf(() => {
      const logits = tf.tensor2d([1000, -Infinity, 1000, 0, 500, -Infinity], [2, 3]);
      const chosen = (x: Tensor): SelectedLogprobs => selectedLogprobs(x, tf.tensor1d([0, 1], 'int32'));
      const slope = tf.grad((x: Tensor) => tf.sum(chosen(x).logprobs) as tf.Scalar);
      return [chosen(logits).logprobs, chosen(logits).entropy, slope(logits)];
    });
    expect(largestError(logprobs!, [-Math.LN2, 0])).toBeLessThan(1e-6);
    expect(largestError(entropy!, [Math.LN2, 0])).toBeLessThan(1e-6);
    // A float32 near 1,000 is exact to 6e-5.
    expect(largestError(gradient!, [0.5, 0, -0.5, 0, 0, 0])).toBeLessThan(1e-4);
  });

  // The composed form's entropy counts what is not above -Infinity as impossible, NaN too; cpu has only that form.
  it.runIf(backend !== 'cpu')('lets NaN through, so that it is noticed', async () => {
    const [logprobs, entropy] = await allValuesOf(() => {
      const chosen = selectedLogprobs(tf.tensor2d([0, NaN, 1], [1, 3]), tf.tensor1d([0], 'int32'));
      return [chosen.logprobs, chosen.entropy];
    });
    expect([logprobs![0], entropy![0]]).toEqual([NaN, NaN]);
  });

  it('sends no gradient through the entropy', async () => {
    const gradient = await valuesOf(() =>
      tf.grad((logits: Tensor) => {
        const { logprobs, entropy } = selectedLogprobs(logits, tf.tensor1d([1], 'int32'));
        return tf.add(tf.sum(logprobs), tf.mul(tf.sum(entropy), 1000)) as tf.Scalar;
      })(tf.tensor2d([0, 0], [1, 2])),
    );
    expect(largestError(gradient, [-0.5, 0.5])).toBeLessThan(1e-6);
  });

  it('leaves logits that are looked at elsewhere as they were', async () => {
    const [gradient, same, logits, fresh] = await allValuesOf(() => {
      const [h, w] = [normalInput(1, 3, 4), normalInput(2, 5, 4)].map(toTensor) as [Tensor, Tensor];
      const ids = tf.tensor1d([0, 4, 2], 'int32');
      let kept: Tensor | undefined;
      const loss = (keep: boolean) => (hidden: Tensor) => {
        const logits = linear(hidden, w);
        if (keep) kept = tf.keep(logits);
        // A second reader of the logits, whose gradient needs their values.
        const second = tf.sum(tf.square(logits));
        return tf.add(tf.sum(selectedLogprobs(logits, ids).logprobs), second) as tf.Scalar;
      };
      const gradient = tf.grad(loss(true))(h);
      return [gradient, tf.grad(loss(false))(h), kept as Tensor, linear(h, w)];
    });
    expect(largestError(logits!, fresh!)).toBe(0);
    expect(largestError(same!, gradient!)).toBe(0);
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

  // The composed form keeps several tables; only the kernels promise.
  if (backend !== 'wasm') return;

  it('holds one table of logits at a time, forward and backward', () => {
    const [rows, vocab, size] = [64, 4096, 4];
    const table = rows * vocab * 4;
    const [h, w] = [normalInput(1, rows, size), normalInput(2, vocab, size)].map(toTensor) as [
      Tensor,
      Tensor,
    ];
    const peak = peakBytes(() => {
      const ids = tf.zeros([rows], 'int32');
      const loss = (hidden: Tensor, weight: Tensor): tf.Scalar =>
        tf.sum(selectedLogprobs(linear(hidden, weight), ids).logprobs) as tf.Scalar;
      tf.grads(loss)([h, w]);
    });
    expect(peak).toBeGreaterThan(table);
    expect(peak).toBeLessThan(1.2 * table);
    tf.dispose([h, w]);
  });

  it('keeps rows without a gradient out of it, whatever they hold', () => {
    tf.tidy(() => {
      const logits = tf.tensor2d([NaN, 1, Infinity, 0, 0, 0], [2, 3]);
      const gradient = tf.grad((x: Tensor) => {
        const { logprobs } = selectedLogprobs(x, tf.tensor1d([0, 1], 'int32'));
        return tf.sum(tf.slice(logprobs, [1], [1])) as tf.Scalar;
      })(logits);
      expect(largestError(gradient.dataSync(), [0, 0, 0, -1 / 3, 2 / 3, -1 / 3])).toBeLessThan(1e-6);
    });
  });
});
