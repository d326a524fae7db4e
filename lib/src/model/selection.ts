/** Chosen positions of a batch: only there do hidden states meet a head. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { embedding } from '../tensor/index.js';
import { checkBatchSize } from './batch-size.js';
import { sharedHiddenStates, shareContexts } from './shared-contexts.js';
import { checkLength, forward } from './transformer.js';
import type { Model } from './types.js';

/** A token sequence and which of its tokens matter. */
export interface MaskedSequence {
  readonly tokens: ArrayLike<number>;
  /**
   * As long as `tokens`: not 0 where the token's log-probability, or the value after it, is wanted. The first token has no
   * log-probability.
   */
  readonly mask: ArrayLike<number>;
}

/** Chosen positions in flat order: sequence by sequence, first to last. */
export interface PositionSelection {
  /** Which sequence: `[N]`. */
  readonly rows: Int32Array;
  /** Which position in the sequence: `[N]`. */
  readonly positions: Int32Array;
  /** Sequences in the batch, B. */
  readonly batch: number;
  /** Longest sequence of the batch, T. */
  readonly length: number;
}

/**
 * Lists the positions a batch asks for.
 * Throws when a mask does not fit its tokens, or when nothing is chosen at all.
 */
export function selectPositions(sequences: readonly MaskedSequence[]): PositionSelection {
  const rows: number[] = [];
  const positions: number[] = [];
  sequences.forEach(({ tokens, mask }, row) => {
    if (mask.length !== tokens.length)
      throw new Error(
        `Sequence ${row} has ${tokens.length} tokens, but its mask has ${mask.length} entries.`,
      );
    for (let position = 0; position < tokens.length; position++) {
      if (!mask[position]) continue;
      rows.push(row);
      positions.push(position);
    }
  });
  if (rows.length === 0)
    throw new Error(
      `None of the ${sequences.length} sequences has a chosen token: every mask is 0, there is nothing to score.`,
    );
  return {
    rows: Int32Array.from(rows),
    positions: Int32Array.from(positions),
    batch: sequences.length,
    length: Math.max(...sequences.map(({ tokens }) => tokens.length)),
  };
}

/**
 * Final hidden states at chosen positions, `[N, D]`; differentiable with respect to the weights. What several sequences begin with
 * is computed once (`shareContexts`).
 */
export function selectedHidden(
  model: Model,
  sequences: readonly MaskedSequence[],
  { rows, positions, batch }: Pick<PositionSelection, 'rows' | 'positions' | 'batch'>,
): Tensor {
  // Nothing after the last chosen position is needed.
  const length = 1 + positions.reduce((last, position) => Math.max(last, position), 0);
  const places = rows.map((row, n) => row * length + positions[n]!);
  const tokens = sequences.map((sequence) => sequence.tokens);
  checkLength(length, model.config);
  const shared = shareContexts(tokens, length, model.config.vocabSize);
  return tf.tidy(() => {
    const hidden = shared
      ? sharedHiddenStates(model, shared, batch)
      : paddedHiddenStates(model, tokens, length);
    const chosen = shared ? places.map((place) => shared.contexts[place]!) : places;
    const all = chosen.length === hidden.shape[0] && chosen.every((row, n) => row === n);
    return all ? hidden : embedding(hidden, tf.tensor1d(chosen, 'int32'));
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

/** What one part of a batch is scored at, and by what: `compute` gives `[N]` numbers in the order of the selection. */
interface ScoredPart {
  readonly selection: PositionSelection;
  readonly compute: () => Tensor;
}

/**
 * Numbers without gradient at the chosen positions, a few sequences at a time.
 * @param atOnce sequences at a time, bounds memory
 * @returns per sequence one number a token; 0 where the mask is 0
 */
export async function scoreParts(
  sequences: readonly MaskedSequence[],
  atOnce: number,
  plan: (part: readonly MaskedSequence[]) => ScoredPart,
): Promise<Float32Array[]> {
  checkBatchSize('microBatch', atOnce);
  const scores = sequences.map(({ tokens }) => new Float32Array(tokens.length));
  for (let start = 0; start < sequences.length; start += atOnce) {
    const part = sequences.slice(start, start + atOnce);
    if (part.every(({ mask }) => !Array.prototype.some.call(mask, Boolean))) continue;
    const { selection, compute } = plan(part);
    const numbers = tf.tidy(compute);
    const values = await numbers.data<'float32'>();
    numbers.dispose();
    selection.rows.forEach((row, n) => (scores[start + row]![selection.positions[n]!] = values[n]!));
  }
  return scores;
}
