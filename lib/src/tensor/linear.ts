import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/** Matrix product over the last two axes, `[..., M, K] × [..., K, N] → [..., M, N]`, either operand transposed on request. */
export function matMul(a: Tensor, b: Tensor, transposeA = false, transposeB = false): Tensor {
  return tf.matMul(a, b, transposeA, transposeB);
}

/**
 * `y = x Wᵀ + b`, weights in the Hugging Face layout.
 * @param x `[..., in]`
 * @param weight `[out, in]`
 * @param bias `[out]`
 * @returns `[..., out]`
 */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const [outSize, inSize] = weight.shape;
  const leading = x.shape.slice(0, -1);
  if (weight.rank !== 2 || x.shape.at(-1) !== inSize)
    throw new Error(
      `linear: x [${x.shape.join(', ')}] does not fit weight [${weight.shape.join(', ')}] ([out, in])`,
    );
  return tf.tidy(() => {
    const product = tf.matMul(tf.reshape(x, [-1, inSize as number]), weight, false, true);
    return tf.reshape(bias ? tf.add(product, bias) : product, [...leading, outSize as number]);
  });
}
