import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { fusedOr } from './dispatch.js';

/** Euclidean norm of all gradients taken as one vector; NaN or Infinity when any entry is. */
export async function globalNorm(gradients: readonly Tensor[]): Promise<number> {
  const squares = tf.tidy(() =>
    tf.stack(gradients.map((x) => fusedOr('SumOfSquares', { x }, {}, () => tf.sum(tf.square(x))))),
  );
  const values = await squares.data<'float32'>();
  squares.dispose();
  return Math.sqrt(values.reduce((sum, value) => sum + value, 0));
}
