/** Sequences that begin alike: computing their beginning once changes nothing but the time it takes. */
import * as tf from '@tensorflow/tfjs-core';
import * as fc from 'fast-check';
import {
  createModel,
  disposeModel,
  type MaskedSequence,
  type Model,
  sequenceLogprobs,
} from 'posttrain/model';
import { shareContexts } from 'posttrain/model/shared-contexts';
import { valueAndGradients } from 'posttrain/tensor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEachBackend } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { maxDifference } from './fixture.js';

const config = {
  modelType: 'qwen3',
  vocabSize: 11,
  hiddenSize: 16,
  intermediateSize: 24,
  numHiddenLayers: 2,
  numAttentionHeads: 4,
  numKeyValueHeads: 2,
  headDim: 4,
  maxPositionEmbeddings: 32,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  attentionBias: false,
} as const;

const sequence = (tokens: readonly number[], prompt: number): MaskedSequence => ({
  tokens,
  mask: tokens.map((_, i) => (i < prompt ? 0 : 1)),
});

/** Three answers to one prompt, two of which agree on their first word, and one to another; all of different lengths. */
const alike = [
  sequence([1, 2, 3, 4, 5, 6, 7], 4),
  sequence([1, 2, 3, 4, 5, 8], 4),
  sequence([1, 2, 3, 4, 9], 4),
  sequence([1, 9, 3, 4, 5, 6, 7, 8], 5),
];

onEachBackend('sequences that begin alike', () => {
  let model: Model;
  beforeAll(() => void (model = createModel(config, 3)));
  afterAll(() => disposeModel(model));

  it('have the log-probabilities that each has alone', async () => {
    const together = await valuesOf(() => sequenceLogprobs(model, alike).logprobs);
    const alone: number[] = [];
    for (const one of alike) alone.push(...(await valuesOf(() => sequenceLogprobs(model, [one]).logprobs)));
    expect(maxDifference(together, alone)).toBeLessThan(1e-6);
  });

  it('have the sum of the gradients that each has alone', async () => {
    const gradientsOf = (sequences: readonly MaskedSequence[]): Promise<number[][]> => {
      const { value, gradients } = valueAndGradients(
        () => tf.sum(sequenceLogprobs(model, sequences).logprobs) as tf.Scalar,
        [...model.weights.values()],
      );
      value.dispose();
      return Promise.all(
        [...gradients.values()].map(async (gradient) => {
          const values = [...(await gradient.data<'float32'>())];
          gradient.dispose();
          return values;
        }),
      );
    };
    const together = await gradientsOf(alike);
    const sums = together.map((values) => values.map(() => 0));
    for (const one of alike)
      (await gradientsOf([one])).forEach((values, w) =>
        values.forEach((value, i) => (sums[w]![i]! += value)),
      );
    expect(together.length).toBe(model.weights.size);
    together.forEach((values, w) => {
      const size = Math.hypot(...values);
      expect(maxDifference(values, sums[w]!)).toBeLessThan(1e-5 * Math.max(1, size));
    });
  });
});

describe('shareContexts', () => {
  it('knows each beginning once, by the tokens up to it', () => {
    const shared = shareContexts(
      alike.map(({ tokens }) => tokens),
      7,
      config.vocabSize,
    )!;
    // 7 + 1 (8 after 5) + 1 (9 after 4) + 6 (9 and what follows, without the last, after the 1 that all share)
    expect(shared.ids.length).toBe(7 + 1 + 1 + 6);
    expect([...shared.ids.slice(7)]).toEqual([8, 9, 9, 3, 4, 5, 6, 7]);
    expect([...shared.contexts.slice(7, 13)]).toEqual([0, 1, 2, 3, 4, 7]);
  });

  it('leaves sequences alone that have too little in common', () => {
    expect(shareContexts([[1, 2, 3], [4, 5, 6]], 3, 11)).toBeUndefined(); // prettier-ignore
  });

  it('gives back every sequence', () => {
    const tokens = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 12 }), (sequences) => {
        const length = Math.max(...sequences.map((sequence) => sequence.length));
        const shared = shareContexts(sequences, length, 3);
        if (shared === undefined) return;
        sequences.forEach((sequence, row) => {
          const contexts = [...shared.contexts.slice(row * length, row * length + sequence.length)];
          expect(contexts.map((context) => shared.ids[context])).toEqual(sequence);
          expect(contexts.map((context) => shared.positions[context])).toEqual(contexts.map((_, i) => i));
        });
        const beginnings = sequences.flatMap((sequence) =>
          sequence.map((_, i) => sequence.slice(0, i + 1).join()),
        );
        expect(shared.ids.length).toBe(new Set(beginnings).size);
        // the place of each is one that holds it
        shared.places.forEach((place, context) => expect(shared.contexts[place]).toBe(context));
      }),
    );
  });
});
