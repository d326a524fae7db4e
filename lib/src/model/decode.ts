/** Decoding with a key-value cache: the prompts in one pass, then one token a sequence and step. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import {
  asGraph,
  causalAttention,
  createKVCache,
  decodeAttention,
  disposeKVCache,
  embedding,
  isFused,
  packWeight,
  prefillKVCache,
  requireRows,
  selectKVCacheRows,
  type KVCache,
} from '../tensor/index.js';
import { rotaryTheta } from './rope-config.js';
import { decoderLayer, finalNorm, hiddenStates, outputLogits } from './transformer.js';
import type { Model } from './types.js';
import { weight } from './weights.js';

/** What has been read so far of `B` sequences. Free it with `disposeDecoding`. */
export interface Decoding {
  /** One a layer. */
  readonly caches: readonly KVCache[];
  /** Tokens in the cache, by row. */
  readonly lengths: Int32Array;
  /** The prompts, where attention reads them together; else each row has its own in its cache. */
  readonly prompts: Prompts | undefined;
  /** The weights as the fused decoder takes them; none where there is no such kernel. */
  readonly packed: PackedWeights | undefined;
}

interface Prompts {
  /** One a layer, of the distinct prompts. */
  readonly caches: readonly KVCache[];
  /** Which prompt each row begins with. */
  readonly rows: Int32Array;
  /** How many tokens that has, by row. */
  readonly lengths: Int32Array;
}

interface PackedWeights {
  /** Each layer's weights by their names within it. */
  readonly layers: readonly Readonly<Record<string, Tensor>>[];
  readonly head: Tensor;
  /** Those of the above that are not the model's own. */
  readonly made: readonly Tensor[];
}

/**
 * Reads ragged prompts, right-padded; equal prompts are read once.
 * @param room tokens that will be added to each
 * @returns the state, and the logits after each prompt `[B, V]`
 */
export function readPrompts(
  model: Model,
  prompts: readonly Int32Array[],
  room: number,
): { decoding: Decoding; logits: Tensor } {
  const { distinct, rows } = distinctPrompts(prompts);
  const length = Math.max(...distinct.map((prompt) => prompt.length));
  const { numHiddenLayers, numKeyValueHeads, headDim, hiddenSize } = model.config;
  const together = isFused('PrefixDecodeAttention');
  const createCaches = (batch: number, capacity: number): KVCache[] =>
    Array.from({ length: numHiddenLayers }, () => createKVCache(batch, numKeyValueHeads, capacity, headDim));
  const caches = createCaches(distinct.length, together ? length : length + room);
  const logits = tf.tidy(() => {
    const ids = new Int32Array(distinct.length * length);
    distinct.forEach((prompt, row) => ids.set(prompt, row * length));
    const shape: [number, number] = [distinct.length, length];
    const positions = ids.map((_, i) => i % length);
    const hidden = hiddenStates(
      model,
      tf.tensor2d(ids, shape, 'int32'),
      tf.tensor2d(positions, shape, 'int32'),
      (layer, q, k, v) => {
        prefillKVCache(caches[layer]!, k, v);
        return causalAttention(q, k, v);
      },
    );
    const ends = rows.map((row) => row * length + distinct[row]!.length - 1);
    return outputLogits(model, embedding(tf.reshape(hidden, [-1, hiddenSize]), tf.tensor1d(ends, 'int32')));
  });
  // the fused decoder knows no adapter
  const packed = isFused('DecodeToken') && !model.adapter ? packWeights(model) : undefined;
  const lengths = Int32Array.from(distinct, (prompt) => prompt.length);
  const alone = { caches, lengths, prompts: undefined, packed };
  if (!together) return { decoding: selectSequences(alone, rows), logits };
  const decoding = {
    caches: createCaches(rows.length, room),
    lengths: new Int32Array(rows.length),
    prompts: { caches, rows, lengths: rows.map((row) => lengths[row]!) },
    packed,
  };
  return { decoding, logits };
}

/**
 * Adds one token to every sequence and gives the logits of what may follow.
 * @param tokens one a row
 * @returns `[B, V]`
 */
export function addTokens(model: Model, decoding: Decoding, tokens: Int32Array): Tensor {
  const { caches, lengths, prompts, packed } = decoding;
  const positions = prompts ? lengths.map((length, row) => length + prompts.lengths[row]!) : lengths;
  requireRows('lengths', lengths, tokens.length, (caches[0]!.keys.shape[2] as number) - 1);
  const logits = asGraph(() =>
    tf.tidy(() =>
      packed && prompts
        ? decodeToken(model, { caches, lengths, prompts, packed, positions, tokens })
        : decodeByOps(model, decoding, positions, tokens),
    ),
  );
  lengths.forEach((length, row) => (lengths[row] = length + 1));
  return logits;
}

function decodeByOps(
  model: Model,
  { caches, lengths, prompts }: Decoding,
  positions: Int32Array,
  tokens: Int32Array,
): Tensor {
  const column = (values: Int32Array): Tensor => tf.tensor2d(values, [values.length, 1], 'int32');
  let x = embedding(weight(model, 'model.embed_tokens.weight'), column(tokens));
  const at = column(positions);
  caches.forEach((cache, layer) => {
    const prefix = prompts && { ...prompts, cache: prompts.caches[layer]! };
    x = decoderLayer(model, layer, x, at, (_, ...qkv) => {
      const [q, k, v] = qkv.map((heads) => tf.squeeze(heads, [1])) as [Tensor, Tensor, Tensor];
      return tf.expandDims(decodeAttention(q, k, v, cache, lengths, prefix), 1);
    });
  });
  return outputLogits(model, tf.squeeze(finalNorm(model, x), [1]));
}

interface DecodeTokenInputs {
  readonly caches: readonly KVCache[];
  readonly lengths: Int32Array;
  readonly prompts: Prompts;
  readonly packed: PackedWeights;
  readonly positions: Int32Array;
  readonly tokens: Int32Array;
}

/** The same in one call. */
function decodeToken(
  { config, weights }: Model,
  { caches, lengths, prompts, packed, positions, tokens }: DecodeTokenInputs,
): Tensor {
  const layers = caches.map(({ keys, values }, layer) => {
    const { keys: prefixKeys, values: prefixValues } = prompts.caches[layer]!;
    return { keys, values, prefixKeys, prefixValues, ...packed.layers[layer] };
  });
  const inputs = {
    embeddings: weights.get('model.embed_tokens.weight')!,
    norm: weights.get('model.norm.weight')!,
    head: packed.head,
  };
  const attributes = {
    layers,
    ids: tokens,
    positions,
    lengths,
    prefixRows: prompts.rows,
    prefixLengths: prompts.lengths,
    vocabSize: config.vocabSize,
    theta: rotaryTheta(config),
    eps: config.rmsNormEps,
    heads: config.numAttentionHeads,
    intermediate: config.intermediateSize,
  };
  return tf.engine().runKernel<Tensor>('DecodeToken', inputs, attributes as unknown as tf.NamedAttrMap);
}

function packWeights({ weights, config }: Model): PackedWeights {
  const made: Tensor[] = [];
  const pack = (value: Tensor): Tensor => {
    const packed = packWeight(value);
    made.push(packed);
    return packed;
  };
  const layers = Array.from({ length: config.numHiddenLayers }, (_, layer) => {
    const prefix = `model.layers.${layer}.`;
    const own = [...weights].filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(
      own.map(([name, value]) => [
        name.slice(prefix.length),
        name.endsWith('_proj.weight') ? pack(value) : value,
      ]),
    );
  });
  const head = weights.get(config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight');
  return { layers, head: pack(head as Tensor), made };
}

/** Keeps the given rows, in the given order, repeats allowed. Frees the state it is given. */
export function selectSequences(decoding: Decoding, rows: Int32Array): Decoding {
  const unchanged = rows.length === decoding.lengths.length && rows.every((row, i) => row === i);
  if (unchanged) return decoding;
  const caches = decoding.caches.map((cache) => {
    const selected = selectKVCacheRows(cache, rows);
    disposeKVCache(cache);
    return selected;
  });
  const pick = (values: Int32Array): Int32Array => rows.map((row) => values[row]!);
  const { prompts } = decoding;
  return {
    ...decoding,
    caches,
    lengths: pick(decoding.lengths),
    prompts: prompts && { ...prompts, rows: pick(prompts.rows), lengths: pick(prompts.lengths) },
  };
}

export function disposeDecoding({ caches, prompts, packed }: Decoding): void {
  caches.forEach(disposeKVCache);
  prompts?.caches.forEach(disposeKVCache);
  if (packed) tf.dispose([...packed.made]);
}

function distinctPrompts(prompts: readonly Int32Array[]): { distinct: Int32Array[]; rows: Int32Array } {
  const rowOf = new Map<string, number>();
  const distinct: Int32Array[] = [];
  const rows = Int32Array.from(prompts, (prompt) => {
    const key = prompt.join();
    const known = rowOf.get(key);
    if (known !== undefined) return known;
    rowOf.set(key, distinct.length);
    return distinct.push(prompt) - 1;
  });
  return { distinct, rows };
}
