import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/**
 * `log σ(x) = −softplus(−x)`, without overflow for any `x`. (`tf.logSigmoid` does not keep the input its gradient reads: it
 * fails whenever that input is itself computed.)
 */
export function logSigmoid(x: Tensor): Tensor {
  return tf.neg(tf.softplus(tf.neg(x)));
}
