/** The fused ops on WebGPU. */
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../adamw.js';
import type { FusedKernel } from '../dispatch.js';
import { kernel } from '../kernel.js';
import type { RotaryAttributes } from '../rotary.js';
import { causalAttention } from './attention.js';
import { causalAttentionGradient } from './attention-gradient.js';
import { decodeAttention } from './decode-attention.js';
import { embedding, embeddingGradient } from './embedding.js';
import { adamW, sumOfSquares } from './optimizer.js';
import { rmsNorm, rmsNormGradient } from './rms-norm.js';
import { rotate } from './rotary.js';
import { selectedLogprobs, selectedLogprobsGradient } from './selected-logprobs.js';
import { swiglu, swigluGradient } from './swiglu.js';

type Attention = 'q' | 'k' | 'v' | 'starts';
type Logprobs = 'logits' | 'targets';

/** By the name under which `fusedOr` looks for them. Ops that are missing here are composed from stock operations. */
export const fusedKernels: Partial<Record<FusedKernel, KernelFunc>> = {
  Embedding: kernel<'table' | 'ids'>(({ table, ids }) => embedding(table, ids)),
  EmbeddingGradient: kernel<'dy' | 'table' | 'ids'>(({ dy, table, ids }) => [
    embeddingGradient(dy, table, ids),
  ]),
  RMSNorm: kernel<'x' | 'weight', { eps: number }>(({ x, weight }, { eps }) => rmsNorm(x, weight, eps)),
  RMSNormGradient: kernel<'dy' | 'x' | 'weight', { eps: number }>(({ dy, x, weight }, { eps }) =>
    rmsNormGradient(dy, x, weight, eps),
  ),
  Rotary: kernel<'x' | 'positions', RotaryAttributes>(({ x, positions }, attributes) =>
    rotate(x, positions, attributes, 1),
  ),
  RotaryGradient: kernel<'dy' | 'positions', RotaryAttributes>(({ dy, positions }, attributes) => [
    rotate(dy, positions, attributes, -1),
  ]),
  CausalAttention: kernel<Attention>(causalAttention),
  CausalAttentionGradient: kernel<Attention | 'dy' | 'out' | 'lse'>(causalAttentionGradient),
  SwiGLU: kernel<'gate' | 'up'>(({ gate, up }) => swiglu(gate, up)),
  SwiGLUGradient: kernel<'dy' | 'gate' | 'up'>(({ dy, gate, up }) => swigluGradient(dy, gate, up)),
  SelectedLogprobs: kernel<Logprobs, { temperature: number }>(({ logits, targets }, { temperature }) =>
    selectedLogprobs(logits, targets, temperature),
  ),
  SelectedLogprobsGradient: kernel<Logprobs | 'dy' | 'lse', { temperature: number }>(
    (inputs, { temperature }): TensorInfo[] => [selectedLogprobsGradient(inputs, temperature)],
  ),
  DecodeAttention: kernel<'q' | 'k' | 'v' | 'keys' | 'values' | 'lengths'>(decodeAttention),
  AdamW: kernel<'param' | 'grad' | 'm' | 'v', Required<AdamWOptions>>(adamW),
  SumOfSquares: kernel<'x'>(({ x }) => sumOfSquares(x)),
};
