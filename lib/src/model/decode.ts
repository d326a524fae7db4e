/** Decoding with a key-value cache: the prompts in one pass, then one token a sequence and step. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import {
  causalAttention,
  createKVCache,
  decodeAttention,
  disposeKVCache,
  embedding,
  isFused,
  linearPacked,
  packWeight,
  prefillKVCache,
  requireRows,
  selectKVCacheRows,
  type KVCache,
} from '../tensor/index.js';
import { decoderLayer, finalNorm, hiddenStates, outputLogits } from './transformer.js';
import type { Model, ModelConfig } from './types.js';
import { weight } from './weights.js';

/** What has been read so far of `B` sequences. Free it with `disposeDecoding`. */
export interface Decoding {
  /** One a layer. */
  readonly caches: readonly KVCache[];
  /** Tokens in the cache, by row. */
  readonly lengths: Int32Array;
  /** The weights as the fused layer takes them; none where there is no such layer. */
  readonly packed: PackedWeights | undefined;
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
  const caches = Array.from({ length: numHiddenLayers }, () =>
    createKVCache(distinct.length, numKeyValueHeads, length + room, headDim),
  );
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
  const lengths = Int32Array.from(distinct, (prompt) => prompt.length);
  // the fused layer knows no adapter
  const packed = isFused('DecodeLayer') && !model.adapter ? packWeights(model) : undefined;
  return { decoding: selectSequences({ caches, lengths, packed }, rows), logits };
}

/**
 * Adds one token to every sequence and gives the logits of what may follow.
 * @param tokens one a row
 * @returns `[B, V]`
 */
export function addTokens(model: Model, { caches, lengths, packed }: Decoding, tokens: Int32Array): Tensor {
  const batch = tokens.length;
  const { config } = model;
  const logits = tf.tidy(() => {
    const positions = tf.tensor2d(lengths, [batch, 1], 'int32');
    let x = embedding(weight(model, 'model.embed_tokens.weight'), tf.tensor2d(tokens, [batch, 1], 'int32'));
    caches.forEach((cache, layer) => {
      requireRows('lengths', lengths, batch, (cache.keys.shape[2] as number) - 1);
      x = packed
        ? decodeLayer(config, { x, lengths: positions, ...cache, ...packed.layers[layer] })
        : decoderLayer(model, layer, x, positions, (_, ...qkv) => {
            const [q, k, v] = qkv.map((heads) => tf.squeeze(heads, [1])) as [Tensor, Tensor, Tensor];
            return tf.expandDims(decodeAttention(q, k, v, cache, lengths), 1);
          });
    });
    const hidden = tf.squeeze(finalNorm(model, x), [1]);
    return packed ? linearPacked(hidden, packed.head, config.vocabSize) : outputLogits(model, hidden);
  });
  lengths.forEach((length, row) => (lengths[row] = length + 1));
  return logits;
}

/** One layer for one new token a row, in one call. */
function decodeLayer(config: ModelConfig, inputs: tf.NamedTensorMap): Tensor {
  return tf.engine().runKernel<Tensor>('DecodeLayer', inputs, {
    theta: config.ropeTheta,
    eps: config.rmsNormEps,
    heads: config.numAttentionHeads,
    intermediate: config.intermediateSize,
  });
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
  return { ...decoding, caches, lengths: rows.map((row) => decoding.lengths[row]!) };
}

export function disposeDecoding({ caches, packed }: Decoding): void {
  caches.forEach(disposeKVCache);
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
