import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireRows, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** Scores of keys a query must not see: exp() of it is 0, and unlike -Infinity it survives a row with no key at all. */
const HIDDEN = -1e30;

/**
 * Scaled dot-product attention in which a position sees itself and what came before it, `softmax(q kᵀ / √Dh) v`.
 * Query head `h` reads key-value head `⌊h · Hkv / H⌋` (grouped-query attention, Ainslie et al. 2023).
 * @param q `[B, T, H, Dh]`
 * @param k `[B, T, Hkv, Dh]`, Hkv divides H
 * @param v `[B, T, Hkv, Dh]`
 * @param options.starts first real position of each row, for left padding (default all 0). Positions before it are
 *   neither seen nor computed: their output and gradients are 0 whatever they hold, NaN included.
 * @returns `[B, T, H, Dh]`
 */
export function causalAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  options: { readonly starts?: Int32Array } = {},
): Tensor {
  const [batch, length, heads, headDim] = q.shape as [number, number, number, number];
  const keyValueHeads = k.shape[2] as number;
  requireShape('q', q, [null, null, null, null]);
  requireShape('k', k, [batch, length, null, headDim]);
  requireShape('v', v, k.shape);
  if (heads % keyValueHeads !== 0)
    throw new Error(`causalAttention: ${keyValueHeads} key-value heads do not divide ${heads} query heads`);
  const rowStarts = options.starts ?? new Int32Array(batch);
  requireRows('starts', rowStarts, batch, length);
  return tf.tidy(() => {
    const starts = tf.tensor1d(rowStarts, 'int32');
    return fusedOr<Tensor[]>('CausalAttention', { q, k, v, starts }, {}, () => [
      composedCausalAttention(q, k, v, starts),
    ])[0] as Tensor;
  });
}

/** `[B, S, Hkv, Dh]` → `[B, S, H, Dh]`, each key-value head repeated for the query heads that share it. */
export function repeatHeads(x: Tensor, heads: number): Tensor {
  const [batch, length, keyValueHeads, headDim] = x.shape as [number, number, number, number];
  if (heads === keyValueHeads) return x;
  // In three axes: tfjs tiles five on the CPU where the back end is a GPU.
  const vectors = tf.reshape(x, [batch * length * keyValueHeads, 1, headDim]);
  const repeated = tf.tile(vectors, [1, heads / keyValueHeads, 1]);
  return tf.reshape(repeated, [batch, length, heads, headDim]);
}

export function composedCausalAttention(q: Tensor, k: Tensor, v: Tensor, starts: Tensor): Tensor {
  const [batch, length, heads, headDim] = q.shape as [number, number, number, number];
  const positions = tf.range(0, length, 1, 'int32');
  const real = tf.greaterEqual(positions, tf.expandDims(starts, 1)); // [B, T]
  // Zeroed before use, not only masked after: 0 · NaN is NaN.
  const clear = (x: Tensor): Tensor => tf.where(tf.reshape(real, [batch, length, 1, 1]), x, tf.zerosLike(x));
  const headsFirst = (x: Tensor): Tensor => tf.transpose(repeatHeads(clear(x), heads), [0, 2, 1, 3]);
  const scores = tf.mul(tf.matMul(headsFirst(q), headsFirst(k), false, true), 1 / Math.sqrt(headDim));
  const visible = tf.logicalAnd(
    tf.lessEqual(positions, tf.expandDims(positions, 1)),
    tf.reshape(real, [batch, 1, 1, length]),
  );
  const weights = tf.softmax(
    tf.where(tf.broadcastTo(visible, scores.shape), scores, tf.fill(scores.shape, HIDDEN)),
  );
  return clear(tf.transpose(tf.matMul(weights, headsFirst(v)), [0, 2, 1, 3]));
}
