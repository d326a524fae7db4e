import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

export interface AdamWOptions {
  readonly lr: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weightDecay: number;
  /** Number of this update, from 1: corrects the bias of the young averages. */
  readonly step: number;
  /** Multiplies the gradient first; how a clipped norm is applied (default 1). */
  readonly gradScale?: number;
}

/**
 * One AdamW update in place (Loshchilov & Hutter 2019, algorithm 2, in PyTorch's order: decay, then the Adam step).
 * `param`, `m` and `v` change, `grad` does not; all have one shape.
 */
export function adamWUpdate(
  param: Variable,
  grad: Tensor,
  m: Variable,
  v: Variable,
  options: AdamWOptions,
): void {
  requireShape('grad', grad, param.shape);
  requireShape('m', m, param.shape);
  requireShape('v', v, param.shape);
  if (!Number.isInteger(options.step) || options.step < 1)
    throw new RangeError(`step counts updates from 1, got ${options.step}`);
  tf.tidy(() => {
    const attributes = { gradScale: 1, ...options };
    const updated = fusedOr<Tensor[]>('AdamW', { param, grad, m, v }, attributes, () =>
      composedAdamW(param, grad, m, v, attributes),
    );
    [param, m, v].forEach((variable, i) => variable.assign(updated[i] as Tensor));
  });
}

export function composedAdamW(
  param: Tensor,
  grad: Tensor,
  m: Tensor,
  v: Tensor,
  { lr, beta1, beta2, eps, weightDecay, step, gradScale }: Required<AdamWOptions>,
): [Tensor, Tensor, Tensor] {
  const scaled = tf.mul(grad, gradScale);
  const newM = tf.add(tf.mul(m, beta1), tf.mul(scaled, 1 - beta1));
  const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(scaled), 1 - beta2));
  const denominator = tf.add(tf.sqrt(tf.div(newV, 1 - beta2 ** step)), eps);
  const update = tf.div(tf.mul(newM, lr / (1 - beta1 ** step)), denominator);
  return [tf.sub(tf.mul(param, 1 - lr * weightDecay), update), newM, newV];
}
