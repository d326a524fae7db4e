/** Chosen positions of a batch: only there do hidden states meet a head. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { asGraph, embedding } from '../tensor/index.js';
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

/**
 * Computes something without gradient for a few sequences at a time, in the order of a selection of their positions.
 * @param atOnce sequences at a time, bounds memory
 * @param store is handed the values, and which sequence the part begins with
 */
export async function inParts<S extends PositionSelection>(
  sequences: readonly MaskedSequence[],
  atOnce: number,
  select: (part: readonly MaskedSequence[]) => S,
  compute: (part: readonly MaskedSequence[], selection: S) => Tensor,
  store: (selection: S, values: Float32Array, start: number) => void,
): Promise<void> {
  checkBatchSize('microBatch', atOnce);
  for (let start = 0; start < sequences.length; start += atOnce) {
    const part = sequences.slice(start, start + atOnce);
    if (part.every(({ mask }) => !Array.prototype.some.call(mask, Boolean))) continue;
    const selection = select(part);
    const computed = asGraph(() => tf.tidy(() => compute(part, selection)));
    const values = await computed.data<'float32'>();
    computed.dispose();
    store(selection, values, start);
  }
}

/** Puts one number a chosen position where it belongs in the streams of its sequence. */
export function spreadOver(streams: readonly Float32Array[]) {
  return ({ rows, positions }: PositionSelection, values: Float32Array, start: number): void =>
    rows.forEach((row, n) => (streams[start + row]![positions[n]!] = values[n]!));
}
