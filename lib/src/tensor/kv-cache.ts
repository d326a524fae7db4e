import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { requireRows, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';
import { embedding } from './embedding.js';

/** One layer's keys and values of `B` sequences, room for `capacity` positions each. Dispose with `disposeKVCache`. */
export interface KVCache {
  /** `[B, Hkv, capacity, Dh]` */
  readonly keys: Variable;
  /** `[B, Hkv, capacity, Dh]` */
  readonly values: Variable;
}

const emptyVariable = (shape: number[]): Variable => tf.tidy(() => tf.variable(tf.zeros(shape), false));

/** An empty cache. */
export function createKVCache(
  batch: number,
  keyValueHeads: number,
  capacity: number,
  headDim: number,
): KVCache {
  const shape = [batch, keyValueHeads, capacity, headDim];
  return { keys: emptyVariable(shape), values: emptyVariable(shape) };
}

export function disposeKVCache(cache: KVCache): void {
  cache.keys.dispose();
  cache.values.dispose();
}

/**
 * Stores a prompt's keys and values at positions 0..T-1 of every row, replacing what the cache held.
 * Right-padded rows may hold anything after their end: later positions overwrite it before it is read.
 * @param k `[B, T, Hkv, Dh]`, T ≤ capacity
 * @param v `[B, T, Hkv, Dh]`
 */
export function prefillKVCache(cache: KVCache, k: Tensor, v: Tensor): void {
  const [batch, heads, capacity, headDim] = cache.keys.shape as [number, number, number, number];
  const length = k.shape[1] as number;
  requireShape('k', k, [batch, null, heads, headDim]);
  requireShape('v', v, k.shape);
  if (length > capacity)
    throw new RangeError(`prompt of ${length} positions does not fit a cache of ${capacity}`);
  const padded = (x: Tensor): Tensor =>
    tf.pad(tf.transpose(x, [0, 2, 1, 3]), [
      [0, 0],
      [0, 0],
      [0, capacity - length],
      [0, 0],
    ]);
  tf.tidy(() => {
    cache.keys.assign(padded(k));
    cache.values.assign(padded(v));
  });
}

/**
 * A new cache made of chosen rows of another, in the given order: repeats one prompt for a group of samples, or drops
 * the sequences that have ended.
 */
export function selectKVCacheRows(cache: KVCache, rows: Int32Array): KVCache {
  // As rows of a table: the stock gather copies number by number.
  const pick = (x: Variable): Variable =>
    tf.tidy(() => {
      const [batch, ...rest] = x.shape as [number, ...number[]];
      const picked = embedding(tf.reshape(x as Tensor, [batch, -1]), tf.tensor1d(rows, 'int32'));
      return tf.variable(tf.reshape(picked, [rows.length, ...rest]), false);
    });
  return { keys: pick(cache.keys), values: pick(cache.values) };
}

/**
 * Attention of one new token a row over everything before it. Writes `k` and `v` at position `lengths[b]` of row `b`
 * in place, then attends to positions 0..lengths[b]. No gradient.
 * @param q `[B, H, Dh]`
 * @param k `[B, Hkv, Dh]`
 * @param v `[B, Hkv, Dh]`
 * @param lengths how many positions of each row are already in the cache, each < capacity
 * @returns `[B, H, Dh]`
 */
export function decodeAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  cache: KVCache,
  lengths: Int32Array,
): Tensor {
  const [batch, keyValueHeads, capacity, headDim] = cache.keys.shape as [number, number, number, number];
  requireShape('q', q, [batch, null, headDim]);
  requireShape('k', k, [batch, keyValueHeads, headDim]);
  requireShape('v', v, k.shape);
  requireRows('lengths', lengths, batch, capacity - 1);
  return tf.tidy(() => {
    const positions = tf.tensor1d(lengths, 'int32');
    const inputs = { q, k, v, keys: cache.keys, values: cache.values, lengths: positions };
    return fusedOr('DecodeAttention', inputs, {}, () => composedDecodeAttention(q, k, v, cache, positions));
  });
}

export function composedDecodeAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  cache: KVCache,
  lengths: Tensor,
): Tensor {
  const [batch, keyValueHeads, capacity, headDim] = cache.keys.shape as [number, number, number, number];
  const heads = q.shape[1] as number;
  const slots = tf.range(0, capacity, 1, 'int32');
  const byRow = (mask: Tensor, shape: number[]): Tensor =>
    tf.broadcastTo(tf.reshape(mask, [batch, 1, capacity, 1]), shape);
  const current = byRow(tf.equal(slots, tf.expandDims(lengths, 1)), cache.keys.shape);
  cache.keys.assign(tf.where(current, tf.expandDims(k, 2), cache.keys));
  cache.values.assign(tf.where(current, tf.expandDims(v, 2), cache.values));
  const visible = tf.lessEqual(slots, tf.expandDims(lengths, 1));
  const clear = (x: Tensor): Tensor => tf.where(byRow(visible, x.shape), x, tf.zerosLike(x));
  const grouped = tf.reshape(q, [batch, keyValueHeads, heads / keyValueHeads, headDim]);
  const scores = tf.mul(tf.matMul(grouped, clear(cache.keys), false, true), 1 / Math.sqrt(headDim));
  const seen = tf.broadcastTo(tf.reshape(visible, [batch, 1, 1, capacity]), scores.shape);
  const weights = tf.softmax(tf.where(seen, scores, tf.fill(scores.shape, -Infinity)));
  return tf.reshape(tf.matMul(weights, clear(cache.values)), [batch, heads, headDim]);
}
