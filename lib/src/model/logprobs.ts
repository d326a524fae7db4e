/** Log-probabilities of chosen tokens, for training and for scoring. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { embedding, selectedLogprobs, type SelectedLogprobs } from '../tensor/index.js';
import {
  type MaskedSequence,
  inParts,
  type PositionSelection,
  selectedHidden,
  selectPositions,
  spreadOver,
} from './selection.js';
import { outputLogits } from './transformer.js';
import type { Model } from './types.js';

/** The chosen tokens of a batch, and what they are. */
export interface TokenSelection extends PositionSelection {
  /** The token there: `[N]`. */
  readonly targets: Int32Array;
}

/**
 * Lists the tokens a batch asks for.
 * Throws when a mask does not fit its tokens or chooses the first token, or when nothing is chosen at all.
 */
export function selectTokens(sequences: readonly MaskedSequence[]): TokenSelection {
  const first = sequences.findIndex(({ mask }) => mask[0]);
  if (first >= 0)
    throw new Error(
      `The mask of sequence ${first} chooses its first token, which nothing comes before; start with a prompt.`,
    );
  const selection = selectPositions(sequences);
  const { rows, positions } = selection;
  return { ...selection, targets: rows.map((row, n) => sequences[row]!.tokens[positions[n]!]!) };
}

/**
 * Logits `[N, V]` from which each chosen token is predicted, in the order of `selection`; differentiable with respect to the
 * weights. Only the chosen positions meet the vocabulary, the largest matrix product of a small model, and what several
 * sequences begin with is computed once (`shareContexts`).
 */
export function selectedLogits(
  model: Model,
  sequences: readonly MaskedSequence[],
  { rows, positions, batch }: TokenSelection = selectTokens(sequences),
): Tensor {
  const predictors = { rows, positions: positions.map((position) => position - 1), batch };
  return tf.tidy(() => outputLogits(model, selectedHidden(model, sequences, predictors)));
}

/**
 * Log-probability of every chosen token given what comes before it, in the order of `selection`.
 * Differentiable with respect to the weights.
 * @param selection `selectTokens(sequences)`, when it is at hand already
 * @param temperature the one the tokens were sampled at (default 1)
 * @returns `logprobs [N]`, and `entropy [N]` without gradient
 */
export function sequenceLogprobs(
  model: Model,
  sequences: readonly MaskedSequence[],
  {
    selection = selectTokens(sequences),
    temperature = 1,
  }: { selection?: TokenSelection; temperature?: number } = {},
): SelectedLogprobs {
  return tf.tidy(() => {
    const logits = selectedLogits(model, sequences, selection);
    const { logprobs, entropy } = selectedLogprobs(
      logits,
      tf.tensor1d(selection.targets, 'int32'),
      temperature,
    );
    return { logprobs, entropy };
  });
}

/** Spreads `[N]` values over `[B, T]`, 0 where no token was chosen; differentiable. */
export function padSelected(values: Tensor, { rows, positions, batch, length }: TokenSelection): Tensor {
  const source = new Int32Array(batch * length);
  rows.forEach((row, n) => (source[row * length + positions[n]!] = n + 1));
  return tf.tidy(() => {
    const table = tf.reshape(tf.concat([tf.zeros([1]), tf.reshape(values, [-1])]), [-1, 1]);
    return tf.reshape(embedding(table, tf.tensor1d(source, 'int32')), [batch, length]);
  });
}

/**
 * Log-probabilities without gradient, for references, teachers and old policies.
 * @param options.microBatch sequences at a time, bounds memory (default 32)
 * @returns per sequence one number a token; 0 where the mask is 0
 */
export async function scoreSequences(
  model: Model,
  sequences: readonly MaskedSequence[],
  { temperature = 1, microBatch = 32 }: { temperature?: number; microBatch?: number } = {},
): Promise<Float32Array[]> {
  const scores = sequences.map(({ tokens }) => new Float32Array(tokens.length));
  const compute = (part: readonly MaskedSequence[], selection: TokenSelection): Tensor =>
    sequenceLogprobs(model, part, { selection, temperature }).logprobs;
  await inParts(sequences, microBatch, selectTokens, compute, spreadOver(scores));
  return scores;
}

/**
 * Log-probabilities of the whole vocabulary without gradient, for teachers: `[n, V]` per sequence, row by row, of the n tokens its
 * mask chooses.
 * @param microBatch sequences at a time, bounds memory
 */
export async function scoreDistributions(
  model: Model,
  sequences: readonly MaskedSequence[],
  microBatch: number,
): Promise<Float32Array[]> {
  const { vocabSize } = model.config;
  const distributions = sequences.map(() => new Float32Array());
  const compute = (part: readonly MaskedSequence[], selection: TokenSelection): Tensor =>
    tf.logSoftmax(selectedLogits(model, part, selection));
  await inParts(sequences, microBatch, selectTokens, compute, ({ rows, batch }, values, start) => {
    for (let row = 0; row < batch; row++) {
      const [first, last] = [rows.indexOf(row), rows.lastIndexOf(row)];
      if (first >= 0) distributions[start + row] = values.slice(first * vocabSize, (last + 1) * vocabSize);
    }
  });
  return distributions;
}
