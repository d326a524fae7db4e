/** The fused ops on wasm: each lays out its arguments and calls the kernel of its name. */
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../adamw.js';
import type { FusedKernel } from '../dispatch.js';
import { kernel, lastAxis, sizeOf } from '../kernel.js';
import type { DrawTokenOptions } from '../draw-token.js';
import type { RotaryAttributes } from '../rotary.js';
import { decodeToken } from './decode-token.js';
import type { Address } from './exports.js';
import { addressOf, doublesAt, isUnshared, makeOutput, run, scratch, share } from './heap.js';
import { multiply } from './matmul.js';
import { type Prefix, prefixArguments } from './prefix.js';
import { rotaryTable } from './rotary-table.js';

const like = (tensor: TensorInfo): TensorInfo => makeOutput(tensor.shape);
/** Where the next values of a tensor go: over the old ones, unless a clone looks on, which keeps them. */
const successor = (tensor: TensorInfo): TensorInfo => (isUnshared(tensor) ? share(tensor) : like(tensor));
/** Where tensors lie, one after the other. */
const addressesOf = <T extends readonly TensorInfo[]>(...tensors: T): { [K in keyof T]: Address } =>
  tensors.map(addressOf) as { [K in keyof T]: Address };

function rotate(
  x: TensorInfo,
  positions: TensorInfo,
  { theta, last }: RotaryAttributes,
  direction: 1 | -1,
): TensorInfo {
  const [, , heads, headDim] = x.shape as [number, number, number, number];
  const { cosines, sines } = rotaryTable(headDim, theta, last);
  const out = like(x);
  const from = [...addressesOf(x, positions), cosines, sines] as const;
  run().rotary(...from, addressOf(out), sizeOf(positions), heads, headDim, direction);
  return out;
}

type Attention = 'q' | 'k' | 'v' | 'starts';

/** What both passes of attention begin with, in the order in which their kernels take it. */
function attentionArguments({ q, k, v, starts }: Record<Attention, TensorInfo>): {
  readonly from: readonly [Address, Address, Address, Address];
  readonly sizes: readonly [batch: number, length: number, heads: number, kvHeads: number, headDim: number];
} {
  const [batch, length, heads, headDim] = q.shape as [number, number, number, number];
  return {
    from: addressesOf(q, k, v, starts),
    sizes: [batch, length, heads, k.shape[2] as number, headDim],
  };
}

type CachedAttention = 'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths';

/** One new token a row over its cache and what comes before that. */
function attendToCache(inputs: Record<CachedAttention, TensorInfo>, prefix?: Prefix): TensorInfo {
  const { q, k, v, keys, values, lengths } = inputs;
  const [batch, keyValueHeads, capacity, headDim] = keys.shape as [number, number, number, number];
  const heads = q.shape[1] as number;
  const before = prefixArguments(prefix);
  const out = like(q);
  const work = scratch(run().decodeScratch(heads, keyValueHeads, before.capacity, capacity));
  const from = [...addressesOf(q, k, v, keys, values, lengths), ...before.from] as const;
  const sizes = [batch, heads, keyValueHeads, capacity, before.capacity, headDim] as const;
  run().decodeAttention(...from, addressOf(out), ...sizes, work);
  return out;
}

type Logprobs = 'logits' | 'targets';

/** Every fused kernel of the wasm back end, under the name by which `fusedOr` looks for it. */
export const fusedKernels: Record<FusedKernel, KernelFunc> = {
  Embedding: kernel<'table' | 'ids'>(({ table, ids }) => {
    const size = lastAxis(table);
    const out = makeOutput([...ids.shape, size]);
    run().embedding(...addressesOf(table, ids, out), sizeOf(ids), size);
    return out;
  }),

  EmbeddingGradient: kernel<'dy' | 'table' | 'ids'>(({ dy, table, ids }) => {
    const [vocab, size] = table.shape as [number, number];
    const dTable = like(table);
    run().embeddingGradient(...addressesOf(dy, ids, dTable), sizeOf(ids), vocab, size);
    return [dTable];
  }),

  Linear: kernel<'x' | 'weight' | 'start'>(({ x, weight, start }) =>
    multiply({ a: x, b: weight, transposeB: true, start }),
  ),

  PackWeight: kernel<'weight'>(({ weight }) => {
    const [n, k] = weight.shape as [number, number];
    const packed = makeOutput([run().panelBytes(n, k) / 4]);
    run().packWeight(addressOf(weight), n, k, addressOf(packed));
    return packed;
  }),

  RMSNorm: kernel<'x' | 'weight', { eps: number }>(({ x, weight }, { eps }) => {
    const size = lastAxis(x);
    const out = like(x);
    run().rmsNorm(...addressesOf(x, weight, out), sizeOf(x) / size, size, eps);
    return out;
  }),

  RMSNormGradient: kernel<'dy' | 'x' | 'weight', { eps: number }>(({ dy, x, weight }, { eps }) => {
    const size = lastAxis(x);
    const [dx, dWeight] = [like(x), like(weight)];
    run().rmsNormGradient(...addressesOf(x, weight, dy, dx, dWeight), sizeOf(x) / size, size, eps);
    return [dx, dWeight];
  }),

  LayerNorm: kernel<'x' | 'weight' | 'bias', { eps: number }>(({ x, weight, bias }, { eps }) => {
    const size = lastAxis(x);
    const out = like(x);
    run().layerNorm(...addressesOf(x, weight, bias, out), sizeOf(x) / size, size, eps);
    return out;
  }),

  LayerNormGradient: kernel<'dy' | 'x' | 'weight', { eps: number }>(({ dy, x, weight }, { eps }) => {
    const size = lastAxis(x);
    const [dx, dWeight, dBias] = [like(x), like(weight), like(weight)];
    const addresses = addressesOf(x, weight, dy, dx, dWeight, dBias);
    run().layerNormGradient(...addresses, sizeOf(x) / size, size, eps);
    return [dx, dWeight, dBias];
  }),

  Rotary: kernel<'x' | 'positions', RotaryAttributes>(({ x, positions }, attributes) =>
    rotate(x, positions, attributes, 1),
  ),

  // A rotation is undone by the opposite rotation, which is its transpose.
  RotaryGradient: kernel<'dy' | 'positions', RotaryAttributes>(({ dy, positions }, attributes) => [
    rotate(dy, positions, attributes, -1),
  ]),

  CausalAttention: kernel<Attention>((inputs) => {
    const { from, sizes } = attentionArguments(inputs);
    const [batch, length, heads, , headDim] = sizes;
    const [out, lse] = [like(inputs.q), makeOutput([batch, heads, length])];
    const work = scratch(run().attentionScratch(length, headDim));
    run().attention(...from, ...addressesOf(out, lse), ...sizes, work);
    return [out, lse];
  }),

  CausalAttentionGradient: kernel<Attention | 'dy' | 'out' | 'lse'>((inputs) => {
    const { from, sizes } = attentionArguments(inputs);
    const [, length, , , headDim] = sizes;
    const { dy, q, k, v, out, lse } = inputs;
    const [dq, dk, dv] = [like(q), like(k), like(v)];
    const work = scratch(run().attentionGradientScratch(length, headDim));
    run().attentionGradient(...from, ...addressesOf(out, lse, dy, dq, dk, dv), ...sizes, work);
    return [dq, dk, dv];
  }),

  SwiGLU: kernel<'gate' | 'up'>(({ gate, up }) => {
    const out = like(gate);
    run().swiglu(...addressesOf(gate, up, out), sizeOf(gate));
    return out;
  }),

  SwiGLUGradient: kernel<'dy' | 'gate' | 'up'>(({ dy, gate, up }) => {
    const [dGate, dUp] = [like(gate), like(up)];
    run().swigluGradient(...addressesOf(gate, up, dy, dGate, dUp), sizeOf(gate));
    return [dGate, dUp];
  }),

  ReLUSquared: kernel<'x'>(({ x }) => {
    const out = like(x);
    run().reluSquared(...addressesOf(x, out), sizeOf(x));
    return out;
  }),

  ReLUSquaredGradient: kernel<'dy' | 'x'>(({ dy, x }) => {
    const dx = like(x);
    run().reluSquaredGradient(...addressesOf(x, dy, dx), sizeOf(x));
    return [dx];
  }),

  SelectedLogprobs: kernel<Logprobs, { temperature: number }>(({ logits, targets }, { temperature }) => {
    const [rows, vocab] = logits.shape as [number, number];
    const [logprobs, entropy, lse] = [makeOutput([rows]), makeOutput([rows]), makeOutput([rows])];
    const addresses = addressesOf(logits, targets, logprobs, entropy, lse);
    run().selectedLogprobs(...addresses, rows, vocab, 1 / temperature);
    return [logprobs, entropy, lse];
  }),

  SelectedLogprobsGradient: kernel<Logprobs | 'dy' | 'lse', { temperature: number }>(
    ({ dy, logits, targets, lse }, { temperature }) => {
      const [rows, vocab] = logits.shape as [number, number];
      // The largest tensor of a step: where only the tape still holds the logits, their gradient takes their place.
      const dLogits = successor(logits);
      const addresses = addressesOf(logits, targets, lse, dy, dLogits);
      run().selectedLogprobsGradient(...addresses, rows, vocab, 1 / temperature);
      return [dLogits];
    },
  ),

  DecodeAttention: kernel<CachedAttention>((inputs) => attendToCache(inputs)),

  PrefixDecodeAttention: kernel<CachedAttention | keyof Prefix>((inputs) => attendToCache(inputs, inputs)),

  DecodeToken: decodeToken,

  SampleTokens: kernel<'logits' | 'rows', Required<DrawTokenOptions> & { uniforms: number[] }>(
    ({ logits, rows }, { temperature, topK, topP, uniforms }) => {
      const [count, vocab] = [uniforms.length, lastAxis(logits)];
      const tokens = makeOutput([count], 'int32');
      const uniformsAt = scratch(16 * count + run().sampleScratch(vocab));
      const sharesAt = uniformsAt + 8 * count;
      doublesAt(uniformsAt, count).set(uniforms);
      const [logitsAt, rowsAt, tokensAt] = addressesOf(logits, rows, tokens);
      const options = [temperature, topK, topP] as const;
      const work = sharesAt + 8 * count;
      run().sampleTokens(logitsAt, rowsAt, uniformsAt, tokensAt, sharesAt, count, vocab, ...options, work);
      const logprobs = Float32Array.from(doublesAt(sharesAt, count), Math.log);
      return [tokens, makeOutput([count], 'float32', logprobs)];
    },
  ),

  AdamW: kernel<'param' | 'grad' | 'm' | 'v', Required<AdamWOptions>>(({ param, grad, m, v }, options) => {
    const { lr, beta1, beta2, eps, weightDecay, step, gradScale } = options;
    const [newParam, newM, newV] = [successor(param), successor(m), successor(v)];
    run().adamW(
      ...addressesOf(param, grad, m, v, newParam, newM, newV),
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
    return [newParam, newM, newV];
  }),

  SumOfSquares: kernel<'x'>(({ x }) => {
    const sum = run().sumOfSquares(addressOf(x), sizeOf(x));
    return makeOutput([], 'float32', Float32Array.of(sum));
  }),
};
