import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** Matrix product over the last two axes, `[..., M, K] × [..., K, N] → [..., M, N]`, either operand transposed on request. */
export function matMul(a: Tensor, b: Tensor, transposeA = false, transposeB = false): Tensor {
  return tf.matMul(a, b, transposeA, transposeB);
}

/**
 * `y = x Wᵀ + start`, weights in the Hugging Face layout.
 * @param x `[..., in]`
 * @param weight `[out, in]`
 * @param start what the product is added to: a bias `[out]`, or a residual `[..., out]`; nothing by default
 * @returns `[..., out]`
 */
export function linear(x: Tensor, weight: Tensor, start?: Tensor): Tensor {
  const [outSize, inSize] = weight.shape as [number, number];
  const shape = [...x.shape.slice(0, -1), outSize];
  if (weight.rank !== 2 || x.shape.at(-1) !== inSize)
    throw new Error(
      `linear: x [${x.shape.join(', ')}] does not fit weight [${weight.shape.join(', ')}] ([out, in])`,
    );
  if (start) requireShape('start', start, start.rank === 1 ? [outSize] : shape);
  return tf.tidy(() => {
    const rows = reshaped(x, [-1, inSize]);
    const from = start?.rank === 1 ? start : start && reshaped(start, [-1, outSize]);
    const product = from
      ? fusedOr('Linear', { x: rows, weight, start: from }, {}, () =>
          tf.add(tf.matMul(rows, weight, false, true), from),
        )
      : tf.matMul(rows, weight, false, true);
    return reshaped(product, shape);
  });
}

/** The tape holds on to what a reshape was made from: where there is nothing to do, large logits must not be held by two. */
function reshaped(x: Tensor, shape: number[]): Tensor {
  return x.rank === shape.length ? x : tf.reshape(x, shape);
}
