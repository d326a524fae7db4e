/** Weights in the order in which matrix products read them. The back end must have the kernels (`isFused`). */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/**
 * Packs a weight `[out, in]` once for many products with few rows each, as in sampling: else each product packs it anew.
 * The caller disposes it. It does not follow the weight when that is trained.
 */
export function packWeight(weight: Tensor): Tensor {
  return tf.engine().runKernel<Tensor>('PackWeight', { weight }, {});
}
