import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';

/**
 * `base + scale · (x Aᵀ) Bᵀ`: what a low-rank update adds to a layer's output (Hu et al. 2021, equation 3).
 * One op with its own derivative, because the composed form would keep `base` and the update for the backward pass,
 * twice the memory of the layer's output; this keeps `x`, which the layer keeps anyway, and `[N, r]`.
 * @param base `[..., out]`
 * @param x `[..., in]`
 * @param a `[r, in]`
 * @param b `[out, r]`
 * @returns `[..., out]`
 */
export function addLowRank(base: Tensor, x: Tensor, a: Tensor, b: Tensor, scale: number): Tensor {
  const [inSize, outSize] = [x.shape.at(-1), base.shape.at(-1)];
  if (a.shape[1] !== inSize || b.shape[0] !== outSize || a.shape[0] !== b.shape[1])
    throw new Error(
      `addLowRank: a [${a.shape.join(', ')}] and b [${b.shape.join(', ')}] do not fit x [..., ${inSize}] and base [..., ${outSize}]; expected a [r, in] and b [out, r].`,
    );
  const rows = (value: Tensor): Tensor => tf.reshape(value, [-1, value.shape.at(-1) as number]);
  const op = tf.customGrad((...inputs) => {
    const [base, x, a, b, save] = inputs as [Tensor, Tensor, Tensor, Tensor, tf.GradSaveFunc];
    const low = tf.mul(tf.matMul(rows(x), a, false, true), scale);
    save([x, a, b, low]);
    return {
      value: tf.add(base, tf.reshape(tf.matMul(low, b, false, true), base.shape)),
      gradFunc: (dy: Tensor, saved: Tensor[]) => {
        const [x, a, b, low] = saved as [Tensor, Tensor, Tensor, Tensor];
        return tf.tidy(() => {
          const dLow = tf.mul(tf.matMul(rows(dy), b), scale);
          return [
            tf.clone(dy),
            tf.reshape(tf.matMul(dLow, a), x.shape),
            tf.matMul(dLow, rows(x), true, false),
            tf.matMul(rows(dy), low, true, false),
          ];
        });
      },
    };
  });
  return op(base, x, a, b);
}
