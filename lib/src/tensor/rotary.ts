import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireIndices, requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** Positions beyond this are taken for a mistake: the fused kernel keeps one table row a position. */
const POSITION_LIMIT = 1 << 20;

/** Rotations that were slowed down to reach further than the model was first trained for, as Llama 3.1 does. */
export interface ScaledTheta {
  readonly theta: number;
  /** How many times slower the slow rotations become. */
  readonly factor: number;
  /** Rotations with fewer turns than this in the original context are slow. */
  readonly lowFreqFactor: number;
  /** Rotations with more turns than this stay as they are. */
  readonly highFreqFactor: number;
  /** The context the model was first trained for, tokens. */
  readonly originalMaxPositionEmbeddings: number;
}

/** The base of the angular speeds, alone or with a scaling. */
export type RotaryTheta = number | ScaledTheta;

/** Angular speed of each pair of features, `theta^(-2i / Dh)`, in float32 as Hugging Face computes it. */
export function inverseFrequencies(headDim: number, theta: RotaryTheta): Float32Array {
  if (typeof theta === 'object')
    return inverseFrequencies(headDim, theta.theta).map((speed) => scaledSpeed(speed, theta));
  return Float32Array.from({ length: headDim / 2 }, (_, i) => 1 / theta ** ((2 * i) / headDim));
}

/** Slow rotations by `factor` slower, fast ones as they are, those between blended (transformers' rope type `llama3`). */
function scaledSpeed(speed: number, scaling: ScaledTheta): number {
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPositionEmbeddings } = scaling;
  const turns = (originalMaxPositionEmbeddings * speed) / (2 * Math.PI);
  const kept = (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  const share = Math.min(1, Math.max(0, kept));
  return share * speed + ((1 - share) * speed) / factor;
}

/** Tells the tables of rotations apart. */
export function rotaryTableKey(headDim: number, theta: RotaryTheta): string {
  return `${headDim} ${JSON.stringify(theta)}`;
}

/** Rows of a table that reaches `position`, with room to grow. */
export function rotaryTableRows(position: number): number {
  return Math.max(128, 2 ** Math.ceil(Math.log2(position + 1)));
}

/** Writes the cosine and the sine of every position's angles, `[rows, Dh / 2]` each. */
export function fillRotaryTable(
  cosines: Float32Array,
  sines: Float32Array,
  headDim: number,
  theta: RotaryTheta,
): void {
  const half = headDim / 2;
  inverseFrequencies(headDim, theta).forEach((speed, i) => {
    for (let at = i; at < cosines.length; at += half) {
      const angle = Math.fround(((at - i) / half) * speed);
      cosines[at] = Math.cos(angle);
      sines[at] = Math.sin(angle);
    }
  });
}

/** What the fused kernels are told; `last` is the largest position, up to which they tabulate the rotations. */
export interface RotaryAttributes {
  readonly theta: RotaryTheta;
  readonly last: number;
}

/**
 * Rotary position embedding (Su et al. 2021) in Hugging Face's `rotate_half` convention: feature `i` turns with
 * feature `i + Dh/2` by `position · theta^(-2i/Dh)` radians.
 * @param x `[B, T, H, Dh]`, Dh even
 * @param positions `[B, T]` int32, from 0; on webgpu made from numbers, not computed there
 */
export function rotary(x: Tensor, positions: Tensor, theta: RotaryTheta): Tensor {
  const [batch, length, , headDim] = x.shape;
  requireShape('positions', positions, [batch ?? null, length ?? null]);
  if (x.rank !== 4 || (headDim as number) % 2 !== 0)
    throw new Error(`rotary: x must be [B, T, H, Dh] with Dh even, got [${x.shape.join(', ')}]`);
  const last = requireIndices('positions', positions, POSITION_LIMIT);
  return fusedOr('Rotary', { x, positions }, { theta, last } as tf.NamedAttrMap, () =>
    composedRotary(x, positions, theta),
  );
}

export function composedRotary(x: Tensor, positions: Tensor, theta: RotaryTheta): Tensor {
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
