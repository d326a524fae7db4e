/**
 * The fused ops on TensorFlow. There is one call from JavaScript for every operation and one pass over memory in it, so each op
 * is written with the fewest and largest that TensorFlow has.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { KernelFunc, Tensor } from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../adamw.js';
import type { FusedKernel } from '../dispatch.js';
import { registerFusedGradients } from '../fused-gradients.js';
import type { RotaryTheta } from '../rotary.js';
import { attention, attentionGradient, decodeAttention } from './attention.js';
import { execute, executeAll } from './execute.js';
import { rotaryTable } from './rotary-table.js';

/** A tfjs kernel from a function of named tensors and attributes; what it makes on the way is freed. */
function kernel<Name extends string, Attributes = object>(
  compute: (inputs: Record<Name, Tensor>, attributes: Attributes) => Tensor | Tensor[],
): KernelFunc {
  return ({ inputs, attrs }) =>
    tf.tidy(() => compute(inputs as Record<Name, Tensor>, attrs as unknown as Attributes));
}

function rotate(x: Tensor, positions: Tensor, theta: RotaryTheta, direction: 1 | -1): Tensor {
  const headDim = x.shape[3] as number;
  const { cos, sin } = rotaryTable(positions, headDim, theta, direction);
  const swapped = execute('Roll', [x, tf.scalar(headDim / 2, 'int32'), tf.scalar(3, 'int32')], {
    T: 'float32',
    Tshift: 'int32',
    Taxis: 'int32',
  });
  return tf.add(tf.mul(x, cos), tf.mul(swapped, sin));
}

/** `1 / sqrt(mean(x²) + eps)`, one a row. */
const inverseRms = (x: Tensor, eps: number): Tensor => tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), eps));

/** Ops that are missing here are composed from stock operations. */
const fusedKernels: Partial<Record<FusedKernel, KernelFunc>> = {
  Embedding: kernel<'table' | 'ids'>(({ table, ids }) =>
    execute('GatherV2', [table, ids, tf.scalar(0, 'int32')], {
      batch_dims: 0,
      Tparams: 'float32',
      Tindices: 'int32',
      Taxis: 'int32',
    }),
  ),

  EmbeddingGradient: kernel<'dy' | 'table' | 'ids'>(({ dy, table, ids }) => {
    const [vocab, size] = table.shape as [number, number];
    const flat = tf.reshape(ids, [-1]) as tf.Tensor1D;
    return [tf.unsortedSegmentSum(tf.reshape(dy, [-1, size]), flat, vocab)];
  }),

  RMSNorm: kernel<'x' | 'weight', { eps: number }>(({ x, weight }, { eps }) =>
    tf.mul(tf.mul(x, inverseRms(x, eps)), weight),
  ),

  // x̂ = x r: dx = (g - x̂ mean(g x̂)) r with g = dy · weight.
  RMSNormGradient: kernel<'dy' | 'x' | 'weight', { eps: number }>(({ dy, x, weight }, { eps }) => {
    const size = x.shape.at(-1) as number;
    const r = inverseRms(x, eps);
    const normalized = tf.mul(x, r);
    const product = tf.mul(dy, normalized);
    const shared = tf.mean(tf.mul(product, weight), -1, true);
    const dx = tf.mul(tf.sub(tf.mul(dy, weight), tf.mul(normalized, shared)), r);
    return [dx, tf.sum(tf.reshape(product, [-1, size]), 0)];
  }),

  Rotary: kernel<'x' | 'positions', { theta: RotaryTheta }>(({ x, positions }, { theta }) =>
    rotate(x, positions, theta, 1),
  ),

  // A rotation is undone by the opposite rotation, which is its transpose.
  RotaryGradient: kernel<'dy' | 'positions', { theta: RotaryTheta }>(({ dy, positions }, { theta }) => [
    rotate(dy, positions, theta, -1),
  ]),

  CausalAttention: kernel<'q' | 'k' | 'v' | 'starts'>(attention),
  CausalAttentionGradient: kernel<'q' | 'k' | 'v' | 'starts' | 'dy' | 'out' | 'lse'>(attentionGradient),
  DecodeAttention: kernel<'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths'>(decodeAttention),

  SwiGLU: kernel<'gate' | 'up'>(({ gate, up }) => tf.mul(tf.mul(gate, tf.sigmoid(gate)), up)),

  // σ = sigmoid(gate): d(gate σ) = σ + gate σ (1 - σ), the last term being TensorFlow's SigmoidGrad.
  SwiGLUGradient: kernel<'dy' | 'gate' | 'up'>(({ dy, gate, up }) => {
    const sigmoid = tf.sigmoid(gate);
    const slope = tf.add(sigmoid, execute('SigmoidGrad', [sigmoid, gate]));
    return [tf.mul(tf.mul(dy, up), slope), tf.mul(dy, tf.mul(gate, sigmoid))];
  }),

  // The third output is softmax - one-hot: the gradient, and what the entropy is computed from.
  SelectedLogprobs: kernel<'logits' | 'targets', { temperature: number }>(
    ({ logits, targets }, { temperature }) => {
      const scaled = temperature === 1 ? logits : tf.div(logits, temperature);
      const [loss, backprop] = executeAll(
        'SparseSoftmaxCrossEntropyWithLogits',
        [scaled, targets],
        { T: 'float32', Tlabels: 'int32' },
        2,
      ) as [Tensor, Tensor];
      // Σ -p log p = lse - Σ p x, where lse = loss + x at the target; 0 · -Infinity counts as 0.
      const excess = tf.sum(execute('MulNoNan', [scaled, backprop]), 1);
      return [tf.neg(loss), tf.sub(loss, excess), backprop];
    },
  ),

  SelectedLogprobsGradient: kernel<'dy' | 'lse', { temperature: number }>(
    ({ dy, lse: backprop }, { temperature }) => [
      tf.mul(backprop, tf.expandDims(tf.div(dy, -temperature), 1)),
    ],
  ),

  // The bias of v is corrected in the two scalars instead of in every element.
  AdamW: kernel<'param' | 'grad' | 'm' | 'v', Required<AdamWOptions>>(
    ({ param, grad, m, v }, { lr, beta1, beta2, eps, weightDecay, step, gradScale }) => {
      const correction = Math.sqrt(1 - beta2 ** step);
      const newM = tf.add(tf.mul(m, beta1), tf.mul(grad, gradScale * (1 - beta1)));
      const newV = tf.add(tf.mul(v, beta2), tf.mul(tf.square(grad), gradScale ** 2 * (1 - beta2)));
      const direction = tf.div(newM, tf.add(tf.sqrt(newV), eps * correction));
      const decayed = weightDecay === 0 ? param : tf.mul(param, 1 - lr * weightDecay);
      return [tf.sub(decayed, tf.mul(direction, (lr * correction) / (1 - beta1 ** step))), newM, newV];
    },
  ),

  SumOfSquares: kernel<'x'>(({ x }) => tf.mul(execute('L2Loss', [x]), 2)),
};

/** Stock kernels that ours replace. */
const replacements: Record<string, KernelFunc> = {
  // The stock form leaves out the element type, which a graph does not do without.
  ExpandDims: ({ inputs, attrs }) => {
    const input = inputs['input'] as Tensor;
    const { dim } = attrs as unknown as { dim: number };
    return tf.reshape(input, input.shape.toSpliced(dim < 0 ? dim + input.rank + 1 : dim, 0, 1));
  },

  // A product of two matrices has an operation of its own, faster than a batch of one where they are small.
  BatchMatMul: ({ inputs, attrs }) => {
    const [a, b] = [inputs['a'] as Tensor, inputs['b'] as Tensor];
    const [transposeA, transposeB] = [Boolean(attrs?.['transposeA']), Boolean(attrs?.['transposeB'])];
    if (a.shape.length === 2 && b.shape.length === 2)
      return execute('MatMul', [a, b], { T: 'float32', transpose_a: transposeA, transpose_b: transposeB });
    return execute('BatchMatMulV2', [a, b], { T: 'float32', adj_x: transposeA, adj_y: transposeB });
  },
};

let installed = false;

/** Puts our kernels into the running TensorFlow back end; does nothing the second time. */
export function installNativeKernels(): void {
  if (installed) return;
  installed = true;
  for (const [kernelName, kernelFunc] of Object.entries({ ...replacements, ...fusedKernels })) {
    if (tf.getKernel(kernelName, 'tensorflow') as unknown) tf.unregisterKernel(kernelName, 'tensorflow');
    tf.registerKernel({ kernelName, backendName: 'tensorflow', kernelFunc });
  }
  registerFusedGradients();
}
