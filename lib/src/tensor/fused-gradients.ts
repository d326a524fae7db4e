/** Derivatives of the fused ops, in terms of the gradient kernels that come with them. */
import * as tf from '@tensorflow/tfjs-core';
import type { GradConfig, NamedAttrMap, NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';
import type { DifferentiableOp } from './dispatch.js';

interface Derivative {
  /** Inputs and outputs the gradient kernel reads, by name; outputs in their order. */
  readonly inputs: readonly string[];
  readonly outputs?: readonly string[];
  /** The inputs that have a gradient, in the order in which the gradient kernel returns them. */
  readonly wrt: readonly string[];
}

const derivatives: Record<DifferentiableOp, Derivative> = {
  Embedding: { inputs: ['table', 'ids'], wrt: ['table'] },
  RMSNorm: { inputs: ['x', 'weight'], wrt: ['x', 'weight'] },
  LayerNorm: { inputs: ['x', 'weight', 'bias'], wrt: ['x', 'weight', 'bias'] },
  Rotary: { inputs: ['positions'], wrt: ['x'] },
  CausalAttention: { inputs: ['q', 'k', 'v', 'starts'], outputs: ['out', 'lse'], wrt: ['q', 'k', 'v'] },
  SwiGLU: { inputs: ['gate', 'up'], wrt: ['gate', 'up'] },
  ReLUSquared: { inputs: ['x'], wrt: ['x'] },
  SelectedLogprobs: {
    inputs: ['logits', 'targets'],
    outputs: ['logprobs', 'entropy', 'lse'],
    wrt: ['logits'],
  },
};

function gradConfig(op: DifferentiableOp, { inputs, outputs = [], wrt }: Derivative): GradConfig {
  const names = [...inputs, ...outputs];
  return {
    kernelName: op,
    inputsToSave: [...inputs],
    outputsToSave: outputs.map(() => true),
    gradFunc: (dys: Tensor | Tensor[], saved: Tensor[], attributes: NamedAttrMap) => {
      const dy = (Array.isArray(dys) ? dys[0] : dys) as Tensor;
      const arguments_: NamedTensorMap = {
        dy,
        ...Object.fromEntries(names.map((name, i) => [name, saved[i] as Tensor])),
      };
      const gradients = tf.engine().runKernel<Tensor[]>(`${op}Gradient`, arguments_, attributes);
      return Object.fromEntries(wrt.map((name, i) => [name, () => tf.clone(gradients[i] as Tensor)]));
    },
  };
}

/** Registers them; does nothing the second time. */
export function registerFusedGradients(): void {
  for (const [op, derivative] of Object.entries(derivatives) as [DifferentiableOp, Derivative][])
    if (!(tf.getGradient(op) as unknown)) tf.registerGradient(gradConfig(op, derivative));
}
