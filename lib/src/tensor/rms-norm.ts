import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/**
 * Root-mean-square normalisation, `x / sqrt(mean(x²) + eps) · weight` (Zhang & Sennrich 2019, equation 4).
 * @param x `[..., D]`
 * @param weight `[D]`
 * @param eps keeps a zero row finite
 */
export function rmsNorm(x: Tensor, weight: Tensor, eps: number): Tensor {
  requireShape('weight', weight, [x.shape.at(-1) ?? 0]);
  return fusedOr('RMSNorm', { x, weight }, { eps }, () => composedRmsNorm(x, weight, eps));
}

export function composedRmsNorm(x: Tensor, weight: Tensor, eps: number): Tensor {
  return tf.mul(tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), eps))), weight);
}
