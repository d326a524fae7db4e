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

/** Positions that come before those of a cache, shared by several of its rows: prompts that were read once. */
export interface KVPrefix {
  /** Of `P` prompts. */
  readonly cache: KVCache;
  /** Which of them each row begins with: `[B]`. */
  readonly rows: Int32Array;
  /** How many positions that has: `[B]`, each at most the capacity of `cache`. */
  readonly lengths: Int32Array;
}

/** `fill` sets zeros where they lie; `zeros` would copy them there. */
const emptyVariable = (shape: number[]): Variable => tf.tidy(() => tf.variable(tf.fill(shape, 0), false));

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
 * in place, then attends to positions 0..lengths[b], after those of its prefix. No gradient.
 * @param q `[B, H, Dh]`
 * @param k `[B, Hkv, Dh]`
 * @param v `[B, Hkv, Dh]`
 * @param lengths how many positions of each row are already in the cache, each < capacity
 * @param prefix what the rows begin with, if that is not in the cache. Fused on `wasm` alone, where it gives the bits of a
 *   cache that holds prefix and row
 * @returns `[B, H, Dh]`
 */
export function decodeAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  cache: KVCache,
  lengths: Int32Array,
  prefix?: KVPrefix,
): Tensor {
  const [batch, keyValueHeads, capacity, headDim] = cache.keys.shape as [number, number, number, number];
  requireShape('q', q, [batch, null, headDim]);
  requireShape('k', k, [batch, keyValueHeads, headDim]);
  requireShape('v', v, k.shape);
  requireRows('lengths', lengths, batch, capacity - 1);
  return tf.tidy(() => {
    const positions = tf.tensor1d(lengths, 'int32');
    const inputs = { q, k, v, keys: cache.keys, values: cache.values, lengths: positions };
    if (prefix === undefined)
      return fusedOr('DecodeAttention', inputs, {}, () => composedDecodeAttention(q, k, v, cache, positions));
    const { keys, values } = prefix.cache;
    const [prompts, , room] = keys.shape as [number, number, number, number];
    requireShape('prefix keys', keys, [null, keyValueHeads, null, headDim]);
    requireRows('prefix rows', prefix.rows, batch, prompts - 1);
    requireRows('prefix lengths', prefix.lengths, batch, room);
    const before = {
      prefixKeys: keys,
      prefixValues: values,
      prefixRows: tf.tensor1d(prefix.rows, 'int32'),
      prefixLengths: tf.tensor1d(prefix.lengths, 'int32'),
    };
    return fusedOr('PrefixDecodeAttention', { ...inputs, ...before }, {}, () =>
      composedDecodeAttention(q, k, v, cache, positions, prefix),
    );
  });
}

export function composedDecodeAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  cache: KVCache,
  lengths: Tensor,
  prefix?: KVPrefix,
): Tensor {
  const [batch, keyValueHeads, capacity, headDim] = cache.keys.shape as [number, number, number, number];
  const heads = q.shape[1] as number;
  const slots = tf.range(0, capacity, 1, 'int32');
  const current = tf.reshape(tf.equal(slots, tf.expandDims(lengths, 1)), [batch, 1, capacity, 1]);
  const written = tf.broadcastTo(current, cache.keys.shape);
  cache.keys.assign(tf.where(written, tf.expandDims(k, 2), cache.keys));
  cache.values.assign(tf.where(written, tf.expandDims(v, 2), cache.values));
  const own = tf.lessEqual(slots, tf.expandDims(lengths, 1));
  const { keys, values, visible } = prefix
    ? withPrefix(prefix, cache, own)
    : { keys: cache.keys as Tensor, values: cache.values as Tensor, visible: own };
  const positions = visible.shape[1] as number;
  const clear = (x: Tensor): Tensor =>
    tf.where(tf.broadcastTo(tf.reshape(visible, [batch, 1, positions, 1]), x.shape), x, tf.zerosLike(x));
  const grouped = tf.reshape(q, [batch, keyValueHeads, heads / keyValueHeads, headDim]);
  const scores = tf.mul(tf.matMul(grouped, clear(keys), false, true), 1 / Math.sqrt(headDim));
  const seen = tf.broadcastTo(tf.reshape(visible, [batch, 1, 1, positions]), scores.shape);
  const weights = tf.softmax(tf.where(seen, scores, tf.fill(scores.shape, -Infinity)));
  return tf.reshape(tf.matMul(weights, clear(values)), [batch, heads, headDim]);
}

/** Each row's prefix before its own positions; `own` says which of those it sees. */
function withPrefix(
  { cache: prompts, rows, lengths }: KVPrefix,
  { keys, values }: KVCache,
  own: Tensor,
): { readonly keys: Tensor; readonly values: Tensor; readonly visible: Tensor } {
  const chosen = tf.tensor1d(rows, 'int32');
  const join = (before: Variable, after: Variable): Tensor =>
    tf.concat([tf.gather(before as Tensor, chosen), after as Tensor], 2);
  const slots = tf.range(0, prompts.keys.shape[2] as number, 1, 'int32');
  const before = tf.less(slots, tf.expandDims(tf.tensor1d(lengths, 'int32'), 1));
  return {
    keys: join(prompts.keys, keys),
    values: join(prompts.values, values),
    visible: tf.concat([before, own], 1),
  };
}
