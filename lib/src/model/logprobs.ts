/** Log-probabilities of chosen tokens, for training and for scoring. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { embedding, selectedLogprobs, type SelectedLogprobs } from '../tensor/index.js';
import { checkBatchSize } from './batch-size.js';
import { sharedHiddenStates, shareContexts } from './shared-contexts.js';
import { checkLength, forward, outputLogits } from './transformer.js';
import type { Model } from './types.js';

/** A token sequence and which of its tokens matter. */
export interface MaskedSequence {
  readonly tokens: ArrayLike<number>;
  /** As long as `tokens`: not 0 where the token's log-probability is wanted. The first token never has one. */
  readonly mask: ArrayLike<number>;
}

/** The chosen tokens of a batch in flat order: sequence by sequence, first to last position. All `[N]`. */
export interface TokenSelection {
  /** Which sequence. */
  readonly rows: Int32Array;
  /** Which position in the sequence. */
  readonly positions: Int32Array;
  /** The token there. */
  readonly targets: Int32Array;
  /** Sequences in the batch, B. */
  readonly batch: number;
  /** Longest sequence of the batch, T. */
  readonly length: number;
}

/**
 * Lists the tokens a batch asks for.
 * Throws when a mask does not fit its tokens or chooses the first token, or when nothing is chosen at all.
 */
export function selectTokens(sequences: readonly MaskedSequence[]): TokenSelection {
  const rows: number[] = [];
  const positions: number[] = [];
  const targets: number[] = [];
  sequences.forEach(({ tokens, mask }, row) => {
    if (mask.length !== tokens.length)
      throw new Error(
        `Sequence ${row} has ${tokens.length} tokens, but its mask has ${mask.length} entries.`,
      );
    if (mask[0])
      throw new Error(
        `The mask of sequence ${row} chooses its first token, which nothing comes before; start with a prompt.`,
      );
    for (let position = 1; position < tokens.length; position++) {
      if (!mask[position]) continue;
      rows.push(row);
      positions.push(position);
      targets.push(tokens[position]!);
    }
  });
  if (rows.length === 0)
    throw new Error(
      `None of the ${sequences.length} sequences has a chosen token: every mask is 0, there is nothing to score.`,
    );
  return {
    rows: Int32Array.from(rows),
    positions: Int32Array.from(positions),
    targets: Int32Array.from(targets),
    batch: sequences.length,
    length: Math.max(...sequences.map(({ tokens }) => tokens.length)),
  };
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
  // The last chosen token is predicted from the position before it; nothing later is needed.
  const length = positions.reduce((longest, position) => Math.max(longest, position), 0);
  const predictors = rows.map((row, n) => row * length + positions[n]! - 1);
  const tokens = sequences.map((sequence) => sequence.tokens);
  checkLength(length, model.config);
  const shared = shareContexts(tokens, length, model.config.vocabSize);
  return tf.tidy(() => {
    const hidden = shared
      ? sharedHiddenStates(model, shared, batch)
      : paddedHiddenStates(model, tokens, length);
    const chosen = shared ? predictors.map((place) => shared.contexts[place]!) : predictors;
    const all = chosen.length === hidden.shape[0] && chosen.every((row, n) => row === n);
    return outputLogits(model, all ? hidden : embedding(hidden, tf.tensor1d(chosen, 'int32')));
  });
}

/** Every sequence by itself, padded to `length`: `[B · T, D]`. */
function paddedHiddenStates(model: Model, sequences: readonly ArrayLike<number>[], length: number): Tensor {
  const ids = new Int32Array(sequences.length * length);
  sequences.forEach((tokens, row) => {
    for (let i = 0; i < Math.min(tokens.length, length); i++) ids[row * length + i] = tokens[i]!;
  });
  const hidden = forward(model, tf.tensor2d(ids, [sequences.length, length], 'int32'));
  return tf.reshape(hidden, [ids.length, model.config.hiddenSize]);
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
  checkBatchSize('microBatch', microBatch);
  const scores = sequences.map(({ tokens }) => new Float32Array(tokens.length));
  for (let start = 0; start < sequences.length; start += microBatch) {
    const part = sequences.slice(start, start + microBatch);
    if (part.every(({ mask }) => !Array.prototype.some.call(mask, Boolean))) continue;
    const selection = selectTokens(part);
    const logprobs = tf.tidy(() => sequenceLogprobs(model, part, { selection, temperature }).logprobs);
    const values = await logprobs.data<'float32'>();
    logprobs.dispose();
    selection.rows.forEach((row, n) => (scores[start + row]![selection.positions[n]!] = values[n]!));
  }
  return scores;
}
