import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireIndices, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** Positions beyond this are taken for a mistake: the fused kernel keeps one table row a position. */
const POSITION_LIMIT = 1 << 20;

/** Angular speed of each pair of features, `theta^(-2i / Dh)`, in float32 as Hugging Face computes it. */
export function inverseFrequencies(headDim: number, theta: number): Float32Array {
  return Float32Array.from({ length: headDim / 2 }, (_, i) => 1 / theta ** ((2 * i) / headDim));
}

/**
 * Rotary position embedding (Su et al. 2021) in Hugging Face's `rotate_half` convention: feature `i` turns with
 * feature `i + Dh/2` by `position · theta^(-2i/Dh)` radians.
 * @param x `[B, T, H, Dh]`, Dh even
 * @param positions `[B, T]` int32, from 0
 */
export function rotary(x: Tensor, positions: Tensor, theta: number): Tensor {
  const [batch, length, , headDim] = x.shape;
  requireShape('positions', positions, [batch ?? null, length ?? null]);
  if (x.rank !== 4 || (headDim as number) % 2 !== 0)
    throw new Error(`rotary: x must be [B, T, H, Dh] with Dh even, got [${x.shape.join(', ')}]`);
  requireIndices('positions', positions, POSITION_LIMIT);
  return fusedOr('Rotary', { x, positions }, { theta }, () => composedRotary(x, positions, theta));
}

export function composedRotary(x: Tensor, positions: Tensor, theta: number): Tensor {
  const [batch, length, , headDim] = x.shape as [number, number, number, number];
  const speeds = tf.tensor1d(inverseFrequencies(headDim, theta));
  const angles = tf.mul(tf.reshape(tf.cast(positions, 'float32'), [batch, length, 1, 1]), speeds);
  const [cos, sin] = [tf.cos(angles), tf.sin(angles)];
  const [first, second] = tf.split(x, 2, -1) as [Tensor, Tensor];
  return tf.concat(
    [tf.sub(tf.mul(first, cos), tf.mul(second, sin)), tf.add(tf.mul(second, cos), tf.mul(first, sin))],
    -1,
  );
}
