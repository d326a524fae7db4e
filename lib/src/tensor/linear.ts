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
  // The tape keeps what a reshape was made from: large logits must not be held by two.
  const asRows = (value: Tensor): Tensor =>
    value.rank === 2 ? value : tf.reshape(value, [-1, value.shape.at(-1) as number]);
  return tf.tidy(() => {
    const rows = asRows(x);
    const from = start?.rank === 1 ? start : start && asRows(start);
    const product = from
      ? fusedOr('Linear', { x: rows, weight, start: from }, {}, () =>
          tf.add(tf.matMul(rows, weight, false, true), from),
        )
      : tf.matMul(rows, weight, false, true);
    return x.rank === 2 ? product : tf.reshape(product, shape);
  });
}
