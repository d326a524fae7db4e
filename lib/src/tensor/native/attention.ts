/** Attention as few large operations of TensorFlow. Weights `[B, H, T, T]` are kept for the backward pass. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { execute, select } from './execute.js';

type Sizes = readonly [batch: number, length: number, heads: number, headDim: number];
type Named<Name extends string> = Record<Name, Tensor>;

const sizesOf = (x: Tensor): Sizes => x.shape as [number, number, number, number];

/** Added to scores of keys a query must not see; unlike -Infinity it survives a row with no key at all. */
const HIDDEN = -1e30;

/** `[1, 1, T, T]`, or `[B, 1, T, T]` where rows start late: 0 for what is seen. */
function visibility(length: number, starts: Int32Array): Tensor {
  const late = starts.some((start) => start > 0);
  const rows = late ? [...starts] : [0];
  const bias = new Float32Array(rows.length * length * length).fill(HIDDEN);
  rows.forEach((start, row) => {
    for (let query = start; query < length; query++)
      bias.fill(0, (row * length + query) * length + start, (row * length + query) * length + query + 1);
  });
  return tf.tensor4d(bias, [rows.length, 1, length, length]);
}

/** Replaces what lies before the start of a row by 0, NaN included. */
function clearing(starts: Int32Array, [batch, length]: Sizes): (x: Tensor) => Tensor {
  if (starts.every((start) => start === 0)) return (x) => x;
  const real = Uint8Array.from({ length: batch * length }, (_, i) =>
    i % length >= (starts[Math.floor(i / length)] as number) ? 1 : 0,
  );
  const mask = tf.tensor4d(real, [batch, length, 1, 1], 'bool');
  const zero = tf.scalar(0);
  return (x) => select(mask, x, zero);
}

const swapHeads = (x: Tensor): Tensor => tf.transpose(x, [0, 2, 1, 3]);

/** Queries of the heads that share keys stand below each other: `[B, T, H, Dh]` → `[B, Hkv, H / Hkv · T, Dh]`. */
function grouped(x: Tensor, keyValueHeads: number): Tensor {
  const [batch, , , headDim] = sizesOf(x);
  return tf.reshape(swapHeads(x), [batch, keyValueHeads, -1, headDim]);
}

function ungrouped(x: Tensor, [batch, length, heads, headDim]: Sizes): Tensor {
  return swapHeads(tf.reshape(x, [batch, heads, length, headDim]));
}

/** What both passes begin with. */
function prepare({ q, k, v, starts }: Named<'q' | 'k' | 'v' | 'starts'>): {
  readonly clear: (x: Tensor) => Tensor;
  readonly group: (x: Tensor) => Tensor;
  readonly scale: number;
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
} {
  const clear = clearing(starts.dataSync<'int32'>(), sizesOf(q));
  const keyValueHeads = sizesOf(k)[2];
  const scale = 1 / Math.sqrt(sizesOf(q)[3]);
  const group = (x: Tensor): Tensor => grouped(clear(x), keyValueHeads);
  return {
    clear,
    group,
    scale,
    queries: tf.mul(group(q), scale),
    keys: group(k),
    values: group(v),
  };
}

/** `[out [B, T, H, Dh], weights [B, Hkv, H / Hkv · T, T]]` */
export function attention(inputs: Named<'q' | 'k' | 'v' | 'starts'>): Tensor[] {
  const sizes = sizesOf(inputs.q);
  const [batch, length, heads] = sizes;
  const { clear, queries, keys, values } = prepare(inputs);
  const scores = tf.reshape(tf.matMul(queries, keys, false, true), [batch, heads, length, length]);
  const bias = visibility(length, inputs.starts.dataSync<'int32'>());
  const weights = tf.reshape(tf.softmax(tf.add(scores, bias)), [batch, keys.shape[1] as number, -1, length]);
  return [clear(ungrouped(tf.matMul(weights, values), sizes)), weights];
}

/** `[dq, dk, dv]`; `lse` is the second output of `attention`. */
export function attentionGradient(
  inputs: Named<'q' | 'k' | 'v' | 'starts' | 'dy' | 'out' | 'lse'>,
): Tensor[] {
  const { q, k, dy, out, lse: weights } = inputs;
  const { clear, group, scale, queries, keys, values } = prepare(inputs);
  const dOut = group(dy);
  // Σ_s weights · dWeights, without a pass over [T, T].
  const inner = tf.reshape(tf.transpose(tf.sum(tf.mul(clear(dy), out), -1), [0, 2, 1]), [
    ...dOut.shape.slice(0, 3),
    1,
  ]);
  const dScores = tf.mul(tf.sub(tf.matMul(dOut, values, false, true), inner), weights);
  return [
    tf.mul(ungrouped(tf.matMul(dScores, keys), sizesOf(q)), scale),
    ungrouped(tf.matMul(dScores, queries, true), sizesOf(k)),
    ungrouped(tf.matMul(weights, dOut, true), sizesOf(k)),
  ];
}

/**
 * One token a row, attending to `lengths[b] + 1` positions. Writes `k` and `v` into the caches in place: a copy of them for
 * every token would cost more than all the rest. Attention reads what the writing gives, the same memory, so that a graph writes first.
 * @returns `[B, H, Dh]`
 */
export function decodeAttention({
  q,
  k,
  v,
  keys,
  values,
  lengths,
}: Named<'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths'>): Tensor {
  const [batch, keyValueHeads, capacity, headDim] = sizesOf(keys);
  const ends = lengths.dataSync<'int32'>();
  const rows = Int32Array.from(
    { length: batch * keyValueHeads },
    (_, i) => i * capacity + (ends[Math.floor(i / keyValueHeads)] as number),
  );
  const at = tf.tensor1d(rows, 'int32');
  const asRows = (x: Tensor): Tensor => tf.reshape(x, [-1, headDim]);
  const write = (cache: Tensor, added: Tensor): Tensor =>
    tf.reshape(execute('InplaceUpdate', [asRows(cache), at, asRows(added)]), cache.shape);
  const [allKeys, allValues] = [write(keys, k), write(values, v)];
  const longest = Math.max(...ends);
  const seen = new Uint8Array(batch * capacity);
  ends.forEach((end, row) => seen.fill(1, row * capacity, row * capacity + end + 1));
  const visible = tf.tensor4d(seen, [batch, 1, 1, capacity], 'bool');
  // Beyond the end of a shorter row its padding lies, which may be NaN; beyond the longest there are only zeros.
  const clearValues = ends.every((end) => end === longest)
    ? allValues
    : select(tf.reshape(visible, [batch, 1, capacity, 1]), allValues, tf.scalar(0));
  const queries = tf.mul(tf.reshape(q, [batch, keyValueHeads, -1, headDim]), 1 / Math.sqrt(headDim));
  const scores = select(visible, tf.matMul(queries, allKeys, false, true), tf.scalar(-Infinity));
  return tf.reshape(tf.matMul(tf.softmax(scores), clearValues), q.shape);
}
