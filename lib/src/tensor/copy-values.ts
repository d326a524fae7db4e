import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';

/** Copies a float32 tensor's values to `target`, in its order; on `wasm` straight from where they lie. */
export async function copyValues(tensor: Tensor, target: Float32Array): Promise<void> {
  const values =
    tf.getBackend() === 'wasm'
      ? (tf.backend() as BackendWasm).typedArrayFromHeap(tensor)
      : await tensor.data<'float32'>();
  target.set(values);
}
