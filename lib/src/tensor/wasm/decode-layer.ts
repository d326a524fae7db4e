/** A whole decoder layer for one new token a row, with packed weights: what `decoderLayer` of the model does in some twenty ops. */
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import type { Address } from './exports.js';
import { addressOf, intsAt, makeOutput, run, scratch } from './heap.js';
import { rotaryTable } from './rotary-table.js';

/** The layer's weights as the kernel takes them, by the ends of their Hugging Face names; a layer need not have all. */
const weightNames = [
  'input_layernorm.weight',
  'self_attn.q_proj.weight',
  'self_attn.q_proj.bias',
  'self_attn.q_norm.weight',
  'self_attn.k_proj.weight',
  'self_attn.k_proj.bias',
  'self_attn.k_norm.weight',
  'self_attn.v_proj.weight',
  'self_attn.v_proj.bias',
  'self_attn.o_proj.weight',
  'post_attention_layernorm.weight',
  'mlp.gate_proj.weight',
  'mlp.up_proj.weight',
  'mlp.down_proj.weight',
] as const;

type Addresses<T extends readonly unknown[]> = { [K in keyof T]: Address };

interface DecodeLayerAttributes {
  readonly theta: number;
  readonly eps: number;
  readonly heads: number;
  readonly intermediate: number;
}

export const decodeLayer: KernelFunc = ({ inputs, attrs }) => {
  const given = inputs as Record<string, TensorInfo>;
  const { theta, eps, heads, intermediate } = attrs as unknown as DecodeLayerAttributes;
  const { x, lengths, keys, values } = given as Record<'x' | 'lengths' | 'keys' | 'values', TensorInfo>;
  const [batch, keyValueHeads, capacity, headDim] = keys.shape as [number, number, number, number];
  const hidden = x.shape.at(-1) as number;
  const sizes = [batch, hidden, intermediate, heads, keyValueHeads, headDim, capacity] as const;
  const last = intsAt(addressOf(lengths), batch).reduce((most, length) => Math.max(most, length), 0);
  const { cosines, sines } = rotaryTable(headDim, theta, last);
  const weights = weightNames.map((name) => {
    const weight = given[name];
    return weight === undefined ? 0 : addressOf(weight);
  }) as unknown as Addresses<typeof weightNames>;
  const out = makeOutput(x.shape);
  const work = scratch(run().decodeLayerScratch(...sizes));
  run().decodeLayer(
    addressOf(x),
    addressOf(out),
    addressOf(lengths),
    cosines,
    sines,
    addressOf(keys),
    addressOf(values),
    ...weights,
    ...sizes,
    eps,
    work,
  );
  return out;
};
