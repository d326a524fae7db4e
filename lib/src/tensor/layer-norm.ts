import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/**
 * Layer normalisation, `(x - mean(x)) / sqrt(variance(x) + eps) · weight + bias` (Ba et al. 2016), with the variance divided
 * by D as in PyTorch.
 * @param x `[..., D]`
 * @param weight `[D]`
 * @param bias `[D]`
 * @param eps keeps a constant row finite
 */
export function layerNorm(x: Tensor, weight: Tensor, bias: Tensor, eps: number): Tensor {
  requireShape('weight', weight, [x.shape.at(-1) ?? 0]);
  requireShape('bias', bias, weight.shape);
  return fusedOr('LayerNorm', { x, weight, bias }, { eps }, () => composedLayerNorm(x, weight, bias, eps));
}

export function composedLayerNorm(x: Tensor, weight: Tensor, bias: Tensor, eps: number): Tensor {
  const centred = tf.sub(x, tf.mean(x, -1, true));
  const inverseDeviation = tf.rsqrt(tf.add(tf.mean(tf.square(centred), -1, true), eps));
  return tf.add(tf.mul(tf.mul(centred, inverseDeviation), weight), bias);
}
