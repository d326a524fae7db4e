/** A decoder for one new token a row, ids to logits, with packed weights: what `addTokens` of the model else does in some twenty ops a layer. */
import type { KernelFunc, TensorInfo } from '@tensorflow/tfjs-core';
import type { RotaryTheta } from '../rotary.js';
import type { Address } from './exports.js';
import { addressOf, intsAt, makeOutput, run, scratch } from './heap.js';
import { rotaryTable } from './rotary-table.js';

/** A layer's weights as the kernel takes them, by the ends of their Hugging Face names; a layer need not have all. */
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

/** The four tensors that a layer has attended to, and its weights by name. */
type DecoderLayerTensors = Readonly<Record<'keys' | 'values' | 'prefixKeys' | 'prefixValues', TensorInfo>> &
  Readonly<Record<string, TensorInfo>>;

interface DecodeTokenAttributes {
  readonly layers: readonly DecoderLayerTensors[];
  /** The new tokens, `[B]`. */
  readonly ids: Int32Array;
  /** Where they stand in their sequences. */
  readonly positions: Int32Array;
  /** How many positions of each row are in its own cache. */
  readonly lengths: Int32Array;
  /** Which prefix each row begins with, and how much of it. */
  readonly prefixRows: Int32Array;
  readonly prefixLengths: Int32Array;
  readonly vocabSize: number;
  readonly theta: RotaryTheta;
  readonly eps: number;
  readonly heads: number;
  readonly intermediate: number;
}

export const decodeToken: KernelFunc = ({ inputs, attrs }) => {
  const { embeddings, norm, head } = inputs as Record<'embeddings' | 'norm' | 'head', TensorInfo>;
  const attributes = attrs as unknown as DecodeTokenAttributes;
  const { layers, ids, positions, lengths, prefixRows, prefixLengths } = attributes;
  const { vocabSize, theta, eps, heads, intermediate } = attributes;
  const [{ keys, prefixKeys }] = layers as [DecoderLayerTensors];
  const [, keyValueHeads, capacity, headDim] = keys.shape as [number, number, number, number];
  const [batch, hidden] = [ids.length, norm.shape[0] as number];
  const prefixCapacity = prefixKeys.shape[2] as number;
  const sizes = [
    batch,
    hidden,
    intermediate,
    heads,
    keyValueHeads,
    headDim,
    capacity,
    prefixCapacity,
  ] as const;
  const last = positions.reduce((most, position) => Math.max(most, position), 0);
  const { cosines, sines } = rotaryTable(headDim, theta, last);
  const logits = makeOutput([batch, vocabSize]);

  const lists = [ids, positions, lengths, prefixRows, prefixLengths];
  const numbers = 4 * batch * (lists.length + hidden);
  // vectors within cache lines
  const before = Math.ceil(numbers / 64) * 64;
  const inner = Math.max(run().decodeLayerScratch(...sizes), run().stripScratch(hidden));
  const start = scratch(before + inner);
  const [idsAt, positionsAt, lengthsAt, rowsAt, prefixLengthsAt] = lists.map((list, i) => {
    const at = start + 4 * batch * i;
    intsAt(at, batch).set(list);
    return at;
  }) as Addresses<[1, 1, 1, 1, 1]>;
  const x = start + 4 * batch * lists.length;
  const work = start + before;

  run().embedding(addressOf(embeddings), idsAt, x, batch, hidden);
  for (const layer of layers) {
    const weights = weightNames.map((name) => {
      const weight = layer[name];
      return weight === undefined ? 0 : addressOf(weight);
    }) as unknown as Addresses<typeof weightNames>;
    run().decodeLayer(
      x,
      x,
      positionsAt,
      cosines,
      sines,
      addressOf(layer.keys),
      addressOf(layer.values),
      lengthsAt,
      addressOf(layer.prefixKeys),
      addressOf(layer.prefixValues),
      rowsAt,
      prefixLengthsAt,
      ...weights,
      ...sizes,
      eps,
      work,
    );
  }
  run().rmsNorm(x, addressOf(norm), x, batch, hidden, eps);
  run().gemmPacked(x, addressOf(head), 0, 0, addressOf(logits), batch, vocabSize, hidden, work);
  return logits;
};
