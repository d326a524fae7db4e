/** Models with a scalar head: one number for every token, having read it and all before it. A critic, or a reward model. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { linear } from '../tensor/index.js';
import { mergeAdapter } from './adapter.js';
import {
  inParts,
  type MaskedSequence,
  type PositionSelection,
  selectedHidden,
  selectPositions,
  spreadOver,
} from './selection.js';
import type { Model } from './types.js';
import { cloneModel, SCORE, weight } from './weights.js';

/**
 * A new model with the layers of a language model, its adapter merged, and a scalar head at 0; the two stay independent.
 *
 * At 0 the head says nothing before it has learned something: the first advantages of PPO are the plain returns, the first loss
 * of a reward model is ln 2. Random values, as small as they may be, would only be noise in both; and since all
 * scores share one row of weights, there is no symmetry to break.
 *
 * Throws when the model has a scalar head already.
 */
export function withScalarHead(model: Model): Model {
  if (model.config.numLabels) throw new Error('The model has a scalar head already; clone it (cloneModel).');
  const { config, weights } = model.adapter ? mergeAdapter(model) : cloneModel(model);
  const body = [...weights].filter(([name]) => name !== 'lm_head.weight');
  weights.get('lm_head.weight')?.dispose();
  const score = tf.tidy(() => tf.variable(tf.zeros([1, config.hiddenSize])));
  return { config: { ...config, numLabels: 1 }, weights: new Map([...body, [SCORE, score]]) };
}

/**
 * The scores of hidden states.
 * @param hidden `[N, D]`
 * @returns `[N]`
 */
export function outputScores(model: Model, hidden: Tensor): Tensor {
  return tf.tidy(() => tf.reshape(linear(hidden, weight(model, SCORE)), [-1]));
}

/** The value after each chosen token, in the order of `selection`: `[N]`; differentiable with respect to the weights. */
export function selectedValues(
  model: Model,
  sequences: readonly MaskedSequence[],
  selection: PositionSelection = selectPositions(sequences),
): Tensor {
  return tf.tidy(() => outputScores(model, selectedHidden(model, sequences, selection)));
}

/**
 * Values without gradient.
 * @param options.microBatch sequences at a time, bounds memory (default 32)
 * @returns per sequence one number a token, what the model makes of all up to it; 0 where the mask is 0
 */
export async function scoreValues(
  model: Model,
  sequences: readonly MaskedSequence[],
  { microBatch = 32 }: { readonly microBatch?: number } = {},
): Promise<Float32Array[]> {
  const values = sequences.map(({ tokens }) => new Float32Array(tokens.length));
  const compute = (part: readonly MaskedSequence[], selection: PositionSelection): Tensor =>
    selectedValues(model, part, selection);
  await inParts(sequences, microBatch, selectPositions, compute, spreadOver(values));
  return values;
}
