/**
 * The one seam between an op and its kernels. A fused op is a tfjs kernel registered under our name for a back end,
 * with one gradient registered for all of them; a back end without it gets the composed form, differentiated by tfjs.
 */
import * as tf from '@tensorflow/tfjs-core';

/** Ops with a derivative: a back end that has the kernel also has the one named with `Gradient` after it. */
export type DifferentiableOp =
  | 'Embedding'
  | 'RMSNorm'
  | 'LayerNorm'
  | 'Rotary'
  | 'CausalAttention'
  | 'SwiGLU'
  | 'ReLUSquared'
  | 'SelectedLogprobs';

/** Every kernel a back end with fused ops provides. */
export type FusedKernel =
  | DifferentiableOp
  | `${DifferentiableOp}Gradient`
  | 'Linear'
  | 'PackWeight'
  | 'DecodeAttention'
  | 'PrefixDecodeAttention'
  | 'DecodeToken'
  | 'AdamW'
  | 'SumOfSquares'
  | 'SampleTokens';

/** Whether the active back end has a fused kernel of an op. */
export function isFused(op: FusedKernel): boolean {
  return Boolean(tf.getKernel(op, tf.getBackend()) as tf.KernelConfig | undefined);
}

/** Runs the active back end's fused kernel of an op, or the composed form where there is none. */
export function fusedOr<R extends tf.Tensor | tf.Tensor[]>(
  op: FusedKernel,
  inputs: tf.NamedTensorMap,
  attributes: tf.NamedAttrMap,
  composed: () => R,
): R {
  return isFused(op) ? tf.engine().runKernel<R>(op, inputs, attributes) : tf.tidy(composed);
}
