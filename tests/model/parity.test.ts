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
import { families, loadReference, maxDifference, type Reference } from './fixture.js';
import { testedBackends } from '../tensor/backends.js';

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  describe.each(families)('%s', (family) => {
    let reference: Reference;
    beforeAll(async () => void (reference = await loadReference(family)));
    afterAll(() => disposeModel(reference.model));

    it('gives the logits of transformers within 1e-4', () => {
      const { model, tensors, sequences } = reference;
      sequences.forEach(({ tokens }, i) => {
        const logits = tf.tidy(() =>
          outputLogits(
            model,
            forward(model, tf.tensor2d([[...(tokens as number[])]], undefined, 'int32')),
          ).dataSync(),
        );
        expect(maxDifference(logits, tensors.get(`logits.${i}`)!.data)).toBeLessThan(1e-4);
      });
    });

    it('gives its log-probabilities of chosen tokens, right-padded in one batch', () => {
      const { model, tensors, sequences, temperature } = reference;
      const logprobs = tf.tidy(() => sequenceLogprobs(model, sequences, { temperature }).logprobs.dataSync());
      expect(maxDifference(logprobs, tensors.get('logprobs')!.data)).toBeLessThan(1e-4);
    });

    it('gives its gradients for every weight', () => {
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
        expect(maxDifference(actual.dataSync(), expected) / scale, name).toBeLessThan(1e-4);
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

    it('may be padded on the left', () => {
      const { model, tensors, sequences } = reference;
      const longest = Math.max(...sequences.map(({ tokens }) => tokens.length));
      const starts = Int32Array.from(sequences, ({ tokens }) => longest - tokens.length);
      const rows = sequences.map(({ tokens }, i) => [
        ...new Array<number>(starts[i]!).fill(7),
        ...(tokens as number[]),
      ]);
      const logits = tf.tidy(() =>
        outputLogits(model, forward(model, tf.tensor2d(rows, undefined, 'int32'), { starts })).arraySync(),
      ) as number[][][];
      sequences.forEach((_, i) => {
        const real = logits[i]!.slice(starts[i]).flat();
        expect(maxDifference(real, tensors.get(`logits.${i}`)!.data)).toBeLessThan(1e-4);
      });
    });

    it('put chosen log-probabilities where the tokens are', async () => {
      const { model, sequences } = reference;
      const selection = selectTokens(sequences);
      const padded = tf.tidy(() =>
        padSelected(sequenceLogprobs(model, sequences, { selection }).logprobs, selection).arraySync(),
      ) as number[][];
      const scores = await scoreSequences(model, sequences);
      padded.forEach((row, i) => {
        expect(row.length).toBe(9);
        expect(maxDifference(row.slice(0, scores[i]!.length), scores[i]!)).toBeLessThan(1e-6);
        row.forEach((value, t) => expect(value !== 0).toBe(Boolean(sequences[i]!.mask[t])));
      });
    });
  });
});

describe('padSelected', () => {
  it('passes the gradient of each place to the value that stands there', () => {
    const selection = selectTokens([
      { tokens: [5, 6, 7], mask: [0, 1, 1] },
      { tokens: [8, 9], mask: [0, 1] },
    ]);
    const places = tf.tensor2d([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const gradient = tf.grad((values) => tf.sum(tf.mul(padSelected(values, selection), places)));
    expect([...gradient(tf.tensor1d([0.1, 0.2, 0.3])).dataSync()]).toEqual([2, 3, 5]);
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
