import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/** The value of `x` as a constant: no gradient flows back through it. */
export function stopGradient(x: Tensor): Tensor {
  const constant = tf.customGrad((input) => ({
    value: tf.clone(input as Tensor),
    gradFunc: (dy: Tensor) => tf.zerosLike(dy),
  }));
  return constant(x);
}
