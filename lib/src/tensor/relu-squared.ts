import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { fusedOr } from './dispatch.js';

/** `max(x, 0)²`, element by element (So et al. 2021, "Primer"). */
export function reluSquared(x: Tensor): Tensor {
  return fusedOr('ReLUSquared', { x }, {}, () => composedReluSquared(x));
}

export function composedReluSquared(x: Tensor): Tensor {
  return tf.square(tf.relu(x));
}
