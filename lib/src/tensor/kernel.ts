/** What the fused kernels of every back end begin with. */
import * as tf from '@tensorflow/tfjs-core';
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';

/** A tfjs kernel from a function of named tensors and attributes. */
export function kernel<Name extends string, Attributes = object>(
  compute: (inputs: Record<Name, TensorInfo>, attributes: Attributes) => TensorInfo | TensorInfo[],
): KernelFunc {
  return ({ inputs, attrs }) => compute(inputs as Record<Name, TensorInfo>, attrs as Attributes);
}

export const sizeOf = (tensor: TensorInfo): number => tf.util.sizeFromShape(tensor.shape);
export const lastAxis = (tensor: TensorInfo): number => tensor.shape.at(-1) as number;
