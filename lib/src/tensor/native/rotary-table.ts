/** Cosines and sines for TensorFlow, as tensors that broadcast over rows and heads. */
import * as tf from '@tensorflow/tfjs-core';
import type { DataId, Tensor } from '@tensorflow/tfjs-core';
import { inverseFrequencies, rotaryTableKey, type RotaryTheta } from '../rotary.js';

/** Of every feature at every position, row by row. */
interface Rotations {
  /** `[1 or B, T, 1, Dh]` */
  readonly shape: [number, number, number, number];
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/** A model asks for the same rotations in every layer, with the same tensor of positions. */
const known = new WeakMap<DataId, Map<string, Rotations>>();

/**
 * With `swap` exchanging the two halves of the features, a rotation is `x · cos + swap(x) · sin`.
 * @param positions `[B, T]` int32
 * @param direction -1 turns back
 * @returns both `[B, T, 1, Dh]`, or `[1, T, 1, Dh]` where all rows stand at the same positions
 */
export function rotaryTable(
  positions: Tensor,
  headDim: number,
  theta: RotaryTheta,
  direction: 1 | -1,
): { cos: Tensor; sin: Tensor } {
  const { dataId } = positions;
  const ofPositions = known.get(dataId) ?? new Map<string, Rotations>();
  known.set(dataId, ofPositions);
  const key = `${direction} ${rotaryTableKey(headDim, theta)}`;
  const rotations = ofPositions.get(key) ?? computeRotations(positions, headDim, theta, direction);
  ofPositions.set(key, rotations);
  const { shape, cos, sin } = rotations;
  return { cos: tf.tensor4d(cos, shape), sin: tf.tensor4d(sin, shape) };
}

function computeRotations(
  positions: Tensor,
  headDim: number,
  theta: RotaryTheta,
  direction: 1 | -1,
): Rotations {
  const all = positions.dataSync<'int32'>();
  const length = positions.shape[1] as number;
  const alike = all.every((position, i) => position === all[i % length]);
  const own = alike ? all.subarray(0, length) : all;
  const speeds = inverseFrequencies(headDim, theta);
  const half = headDim / 2;
  const [cos, sin] = [new Float32Array(own.length * headDim), new Float32Array(own.length * headDim)];
  own.forEach((position, row) =>
    speeds.forEach((speed, i) => {
      const angle = Math.fround(position * speed);
      const first = row * headDim + i;
      cos[first] = cos[first + half] = Math.cos(angle);
      sin[first + half] = direction * Math.sin(angle);
      sin[first] = -sin[first + half]!;
    }),
  );
  return { shape: [own.length / length, length, 1, headDim], cos, sin };
}
