/**
 * Sequences that begin alike are computed alike: what a decoder makes of a token depends on the tokens up to it and on nothing else.
 * Eight answers to one request share its tokens, and this is where they are computed once. Attention, a small part of the
 * arithmetic, still sees every sequence whole.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { causalAttention, embedding } from '../tensor/index.js';
import { hiddenStates } from './transformer.js';
import type { Model } from './types.js';

/** The distinct beginnings of the sequences of a batch, `[U]`, and where each is found in the batch padded to `[B, T]`. */
export interface SharedContexts {
  /** The last token of each, `[U]`. */
  readonly ids: Int32Array;
  /** Where that stands in its sequence, `[U]`. */
  readonly positions: Int32Array;
  /** The first place in the padded batch that holds it, `[U]`. */
  readonly places: Int32Array;
  /** Which of them ends at each place of the padded batch, `[B · T]`; any one in the padding. */
  readonly contexts: Int32Array;
}

/** Sharing costs copies before and after each layer's attention, about a twentieth of a step (`bench -- sharing`): twice that must be saved. */
const WORTH_SHARING = 0.1;

/**
 * @param length what is kept of longer sequences
 * @returns `undefined` when too few tokens are shared to be worth it
 */
export function shareContexts(
  sequences: readonly ArrayLike<number>[],
  length: number,
  vocabSize: number,
): SharedContexts | undefined {
  const known = new Map<number, number>();
  const contexts = new Int32Array(sequences.length * length);
  const places: number[] = [];
  let tokens = 0;
  sequences.forEach((sequence, row) => {
    const end = Math.min(sequence.length, length);
    tokens += end;
    let before = 0;
    for (let position = 0; position < end; position++) {
      const key = before * vocabSize + sequence[position]!;
      const place = row * length + position;
      const context = known.get(key) ?? places.push(place) - 1;
      known.set(key, context);
      contexts[place] = context;
      before = context + 1;
    }
  });
  if (places.length > (1 - WORTH_SHARING) * tokens) return undefined;
  return {
    ids: Int32Array.from(places, (place) => sequences[Math.floor(place / length)]![place % length]!),
    positions: Int32Array.from(places, (place) => place % length),
    places: Int32Array.from(places),
    contexts,
  };
}

/**
 * Final hidden state at the end of each distinct beginning; differentiable with respect to the weights.
 * @param batch sequences, B
 * @returns `[U, D]`
 */
export function sharedHiddenStates(
  model: Model,
  { ids, positions, places, contexts }: SharedContexts,
  batch: number,
): Tensor {
  const distinct = ids.length;
  const length = contexts.length / batch;
  return tf.tidy(() => {
    const padded = tf.tensor2d(contexts, [batch, length], 'int32');
    const firsts = tf.tensor2d(places, [1, distinct], 'int32');
    /** Rows of heads `[·, H, Dh]` by index. */
    const take = (x: Tensor, index: Tensor): Tensor => {
      const [, , heads, headDim] = x.shape as [number, number, number, number];
      const rows = embedding(tf.reshape(x, [-1, heads * headDim]), index);
      return tf.reshape(rows, [...index.shape, heads, headDim]);
    };
    const hidden = hiddenStates(
      model,
      tf.tensor2d(ids, [1, distinct], 'int32'),
      tf.tensor2d(positions, [1, distinct], 'int32'),
      (_layer, q, k, v) => take(causalAttention(take(q, padded), take(k, padded), take(v, padded)), firsts),
    );
    return tf.reshape(hidden, [distinct, model.config.hiddenSize]);
  });
}
