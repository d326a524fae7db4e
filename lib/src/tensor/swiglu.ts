import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** `silu(gate) · up`, element by element (Shazeer 2020, "GLU variants improve transformer"). Shapes must be equal. */
export function swiglu(gate: Tensor, up: Tensor): Tensor {
  requireShape('up', up, gate.shape);
  return fusedOr('SwiGLU', { gate, up }, {}, () => composedSwiglu(gate, up));
}

export function composedSwiglu(gate: Tensor, up: Tensor): Tensor {
  return tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
}
