/** The fused ops on wasm: each lays out its arguments and calls the kernel of its name. */
import * as tf from '@tensorflow/tfjs-core';
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../adamw.js';
import type { FusedKernel } from '../dispatch.js';
import { addressOf, intsAt, isUnshared, makeOutput, run, scratch, share } from './heap.js';
import { rotaryTable } from './rotary-table.js';

/** A tfjs kernel from a function of named tensors and attributes. */
function kernel<Name extends string, Attributes = object>(
  compute: (inputs: Record<Name, TensorInfo>, attributes: Attributes) => TensorInfo | TensorInfo[],
): KernelFunc {
  return ({ inputs, attrs }) => compute(inputs as Record<Name, TensorInfo>, attrs as Attributes);
}

const sizeOf = (tensor: TensorInfo): number => tf.util.sizeFromShape(tensor.shape);
const like = (tensor: TensorInfo): TensorInfo => makeOutput(tensor.shape);
const lastAxis = (tensor: TensorInfo): number => tensor.shape.at(-1) as number;

function rotate(x: TensorInfo, positions: TensorInfo, theta: number, direction: 1 | -1): TensorInfo {
  const [, , heads, headDim] = x.shape as [number, number, number, number];
  const tokens = sizeOf(positions);
  const last = intsAt(addressOf(positions), tokens).reduce((most, position) => Math.max(most, position), 0);
  const { cosines, sines } = rotaryTable(headDim, theta, last);
  const out = like(x);
  run().rotary(
    addressOf(x),
    addressOf(positions),
    cosines,
    sines,
    addressOf(out),
    tokens,
    heads,
    headDim,
    direction,
  );
  return out;
}

/** `[batch, length, heads, keyValueHeads, headDim]`, in the order in which the attention kernels take them. */
function attentionSizes(q: TensorInfo, k: TensorInfo): [number, number, number, number, number] {
  const [batch, length, heads, headDim] = q.shape as [number, number, number, number];
  return [batch, length, heads, k.shape[2] as number, headDim];
}

type Attention = 'q' | 'k' | 'v' | 'starts';
type Logprobs = 'logits' | 'targets';

/** Every fused kernel of the wasm back end, under the name by which `fusedOr` looks for it. */
export const fusedKernels: Record<FusedKernel, KernelFunc> = {
  Embedding: kernel<'table' | 'ids'>(({ table, ids }) => {
    const size = lastAxis(table);
    const out = makeOutput([...ids.shape, size]);
    run().embedding(addressOf(table), addressOf(ids), addressOf(out), sizeOf(ids), size);
    return out;
  }),

  EmbeddingGradient: kernel<'dy' | 'table' | 'ids'>(({ dy, table, ids }) => {
    const [vocab, size] = table.shape as [number, number];
    const dTable = like(table);
    run().embeddingGradient(addressOf(dy), addressOf(ids), addressOf(dTable), sizeOf(ids), vocab, size);
    return [dTable];
  }),

  RMSNorm: kernel<'x' | 'weight', { eps: number }>(({ x, weight }, { eps }) => {
    const size = lastAxis(x);
    const out = like(x);
    run().rmsNorm(addressOf(x), addressOf(weight), addressOf(out), sizeOf(x) / size, size, eps);
    return out;
  }),

  RMSNormGradient: kernel<'dy' | 'x' | 'weight', { eps: number }>(({ dy, x, weight }, { eps }) => {
    const size = lastAxis(x);
    const [dx, dWeight] = [like(x), like(weight)];
    const to = [addressOf(dx), addressOf(dWeight)] as const;
    run().rmsNormGradient(addressOf(x), addressOf(weight), addressOf(dy), ...to, sizeOf(x) / size, size, eps);
    return [dx, dWeight];
  }),

  Rotary: kernel<'x' | 'positions', { theta: number }>(({ x, positions }, { theta }) =>
    rotate(x, positions, theta, 1),
  ),

  // A rotation is undone by the opposite rotation, which is its transpose.
  RotaryGradient: kernel<'dy' | 'positions', { theta: number }>(({ dy, positions }, { theta }) => [
    rotate(dy, positions, theta, -1),
  ]),

  CausalAttention: kernel<Attention>(({ q, k, v, starts }) => {
    const sizes = attentionSizes(q, k);
    const [batch, length, heads, , headDim] = sizes;
    const [out, lse] = [like(q), makeOutput([batch, heads, length])];
    const work = scratch(run().attentionScratch(length, headDim));
    const from = [addressOf(q), addressOf(k), addressOf(v), addressOf(starts)] as const;
    run().attention(...from, addressOf(out), addressOf(lse), ...sizes, work);
    return [out, lse];
  }),

  CausalAttentionGradient: kernel<Attention | 'dy' | 'out' | 'lse'>(({ dy, q, k, v, starts, out, lse }) => {
    const sizes = attentionSizes(q, k);
    const [, length, , , headDim] = sizes;
    const [dq, dk, dv] = [like(q), like(k), like(v)];
    const work = scratch(run().attentionGradientScratch(length, headDim));
    const from = [
      addressOf(q),
      addressOf(k),
      addressOf(v),
      addressOf(starts),
      addressOf(out),
      addressOf(lse),
    ] as const;
    run().attentionGradient(
      ...from,
      addressOf(dy),
      addressOf(dq),
      addressOf(dk),
      addressOf(dv),
      ...sizes,
      work,
    );
    return [dq, dk, dv];
  }),

  SwiGLU: kernel<'gate' | 'up'>(({ gate, up }) => {
    const out = like(gate);
    run().swiglu(addressOf(gate), addressOf(up), addressOf(out), sizeOf(gate));
    return out;
  }),

  SwiGLUGradient: kernel<'dy' | 'gate' | 'up'>(({ dy, gate, up }) => {
    const [dGate, dUp] = [like(gate), like(up)];
    const from = [addressOf(gate), addressOf(up), addressOf(dy)] as const;
    run().swigluGradient(...from, addressOf(dGate), addressOf(dUp), sizeOf(gate));
    return [dGate, dUp];
  }),

  SelectedLogprobs: kernel<Logprobs, { temperature: number }>(({ logits, targets }, { temperature }) => {
    const [rows, vocab] = logits.shape as [number, number];
    const outputs = [makeOutput([rows]), makeOutput([rows]), makeOutput([rows])] as const;
    const [logprobs, entropy, lse] = outputs.map(addressOf) as [number, number, number];
    run().selectedLogprobs(
      addressOf(logits),
      addressOf(targets),
      logprobs,
      entropy,
      lse,
      rows,
      vocab,
      1 / temperature,
    );
    return [...outputs];
  }),

  SelectedLogprobsGradient: kernel<Logprobs | 'dy' | 'lse', { temperature: number }>(
    ({ dy, logits, targets, lse }, { temperature }) => {
      const [rows, vocab] = logits.shape as [number, number];
      const dLogits = like(logits);
      const from = [addressOf(logits), addressOf(targets), addressOf(lse), addressOf(dy)] as const;
      run().selectedLogprobsGradient(...from, addressOf(dLogits), rows, vocab, 1 / temperature);
      return [dLogits];
    },
  ),

  DecodeAttention: kernel<'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths'>(
    ({ q, k, v, keys, values, lengths }) => {
      const [batch, keyValueHeads, capacity, headDim] = keys.shape as [number, number, number, number];
      const out = like(q);
      const work = scratch(run().decodeScratch(capacity));
      const from = [addressOf(q), addressOf(k), addressOf(v), addressOf(keys), addressOf(values)] as const;
      const sizes = [batch, q.shape[1] as number, keyValueHeads, capacity, headDim] as const;
      run().decodeAttention(...from, addressOf(lengths), addressOf(out), ...sizes, work);
      return out;
    },
  ),

  AdamW: kernel<'param' | 'grad' | 'm' | 'v', Required<AdamWOptions>>(({ param, grad, m, v }, options) => {
    const { lr, beta1, beta2, eps, weightDecay, step, gradScale } = options;
    const state = [param, m, v];
    // Where a clone looks on, the values move to new memory and the clone keeps the old ones.
    const outputs = state.map((tensor) => (isUnshared(tensor) ? share(tensor) : like(tensor)));
    const [newParam, newM, newV] = outputs.map(addressOf) as [number, number, number];
    run().adamW(
      addressOf(param),
      addressOf(grad),
      addressOf(m),
      addressOf(v),
      newParam,
      newM,
      newV,
      sizeOf(param),
      gradScale,
      beta1,
      1 - beta1,
      beta2,
      1 - beta2,
      1 - lr * weightDecay,
      lr / (1 - beta1 ** step),
      1 / (1 - beta2 ** step),
      eps,
    );
    return outputs;
  }),

  SumOfSquares: kernel<'x'>(({ x }) => {
    const sum = run().sumOfSquares(addressOf(x), sizeOf(x));
    return makeOutput([], 'float32', Float32Array.of(sum));
  }),
};
