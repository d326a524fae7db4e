/** Equality with Hugging Face transformers: logits, log-probabilities and gradients of tiny random models. */
import * as tf from '@tensorflow/tfjs-core';
import {
  disposeModel,
  forward,
  outputLogits,
  padSelected,
  scoreSequences,
  selectTokens,
  sequenceLogprobs,
  weightShapes,
} from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBackend, testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { families, loadReference, maxDifference, type Reference } from './fixture.js';

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  describe.each(families)('%s', (family) => {
    let reference: Reference;
    beforeAll(async () => void (reference = await loadReference(family)));
    afterAll(() => disposeModel(reference.model));

    it('gives the logits of transformers within 1e-4', async () => {
      const { model, tensors, sequences } = reference;
      for (const [i, { tokens }] of sequences.entries()) {
        const logits = await valuesOf(() =>
          outputLogits(model, forward(model, tf.tensor2d([[...(tokens as number[])]], undefined, 'int32'))),
        );
        expect(maxDifference(logits, tensors.get(`logits.${i}`)!.data)).toBeLessThan(1e-4);
      }
    });

    it('gives its log-probabilities of chosen tokens, right-padded in one batch', async () => {
      const { model, tensors, sequences, temperature } = reference;
      const logprobs = await valuesOf(() => sequenceLogprobs(model, sequences, { temperature }).logprobs);
      expect(maxDifference(logprobs, tensors.get('logprobs')!.data)).toBeLessThan(1e-4);
    });

    it('gives its gradients for every weight', async () => {
      const { model, tensors, sequences, temperature } = reference;
      const weights = tensors.get('weights')!.data;
      const { value, grads } = tf.variableGrads(
        () =>
          tf.sum(tf.mul(sequenceLogprobs(model, sequences, { temperature }).logprobs, weights)) as tf.Scalar,
        [...model.weights.values()],
      );
      for (const name of weightShapes(model.config).keys()) {
        const expected = tensors.get(`grad.${name}`)!.data;
        const actual = grads[model.weights.get(name)!.name]!;
        const scale = Math.max(1, ...expected.map(Math.abs));
        expect(maxDifference(await actual.data(), expected) / scale, name).toBeLessThan(1e-4);
      }
      tf.dispose([value, ...Object.values(grads)]);
    });

    it('leaks nothing', async () => {
      const { model, sequences } = reference;
      const before = tf.memory().numTensors;
      await scoreSequences(model, sequences);
      const { value, grads } = tf.variableGrads(
        () => tf.sum(sequenceLogprobs(model, sequences).logprobs) as tf.Scalar,
        [...model.weights.values()],
      );
      tf.dispose([value, ...Object.values(grads)]);
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  describe('batches', () => {
    let reference: Reference;
    beforeAll(async () => void (reference = await loadReference('qwen3-gqa')));
    afterAll(() => disposeModel(reference.model));

    it('score as single sequences do', async () => {
      const { model, sequences } = reference;
      const together = await scoreSequences(model, sequences, { temperature: 0.7 });
      const alone = await scoreSequences(model, sequences, { temperature: 0.7, microBatch: 1 });
      together.forEach((row, i) => {
        expect(row.length).toBe(sequences[i]!.tokens.length);
        expect(maxDifference(row, alone[i]!)).toBeLessThan(1e-5);
      });
    });

    it('may be padded on the left', async () => {
      const { model, tensors, sequences } = reference;
      const longest = Math.max(...sequences.map(({ tokens }) => tokens.length));
      const starts = Int32Array.from(sequences, ({ tokens }) => longest - tokens.length);
      const rows = sequences.map(({ tokens }, i) => [
        ...new Array<number>(starts[i]!).fill(7),
        ...(tokens as number[]),
      ]);
      const logits = await valuesOf(() =>
        outputLogits(model, forward(model, tf.tensor2d(rows, undefined, 'int32'), { starts })),
      );
      sequences.forEach((_, i) => {
        const { vocabSize } = model.config;
        const real = logits.subarray((i * longest + starts[i]!) * vocabSize, (i + 1) * longest * vocabSize);
        expect(maxDifference(real, tensors.get(`logits.${i}`)!.data)).toBeLessThan(1e-4);
      });
    });

    it('put chosen log-probabilities where the tokens are', async () => {
      const { model, sequences } = reference;
      const selection = selectTokens(sequences);
      const padded = await valuesOf(() =>
        padSelected(sequenceLogprobs(model, sequences, { selection }).logprobs, selection),
      );
      const scores = await scoreSequences(model, sequences);
      expect(padded.length).toBe(9 * sequences.length);
      sequences.forEach((_, i) => {
        const row = padded.subarray(9 * i, 9 * i + 9);
        expect(maxDifference(row.slice(0, scores[i]!.length), scores[i]!)).toBeLessThan(1e-5);
        row.forEach((value, t) => expect(value !== 0).toBe(Boolean(sequences[i]!.mask[t])));
      });
    });
  });
});

describe('padSelected', () => {
  beforeAll(startTestBackend);

  it('passes the gradient of each place to the value that stands there', async () => {
    const selection = selectTokens([
      { tokens: [5, 6, 7], mask: [0, 1, 1] },
      { tokens: [8, 9], mask: [0, 1] },
    ]);
    const gradient = await valuesOf(() => {
      const places = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]);
      const loss = (values: tf.Tensor): tf.Scalar =>
        tf.sum(tf.mul(padSelected(values, selection), places)) as tf.Scalar;
      return tf.grad(loss)(tf.tensor1d([0.1, 0.2, 0.3]));
    });
    expect([...gradient]).toEqual([2, 3, 5]);
  });
});

describe('selectTokens', () => {
  it('lists tokens by sequence, then position', () => {
    const selection = selectTokens([
      { tokens: [5, 6, 7], mask: [0, 1, 1] },
      { tokens: [8, 9], mask: [0, 1] },
    ]);
    expect({ ...selection }).toEqual({
      rows: Int32Array.of(0, 0, 1),
      positions: Int32Array.of(1, 2, 1),
      targets: Int32Array.of(6, 7, 9),
      batch: 2,
      length: 3,
    });
  });

  it('refuses what cannot be scored', () => {
    expect(() => selectTokens([{ tokens: [1, 2], mask: [1, 1] }])).toThrow(/first token/);
    expect(() => selectTokens([{ tokens: [1, 2], mask: [0] }])).toThrow(/2 tokens, but its mask has 1/);
    expect(() => selectTokens([{ tokens: [1, 2], mask: [0, 0] }])).toThrow(/every mask is 0/);
  });
});
