/** The decoder: token ids in, hidden states out, hidden states to logits. Equations as in Touvron et al. 2023. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { causalAttention, embedding, linear, rmsNorm, rotary, swiglu } from '../tensor/index.js';
import { linearLayer } from './adapter.js';
import { rotaryTheta } from './rope-config.js';
import type { Model, ModelConfig } from './types.js';
import { weight } from './weights.js';

/** How layer `layer` attends: q `[B, T, H, Dh]`, k and v `[B, T, Hkv, Dh]` → `[B, T, H, Dh]`. */
export type Attend = (layer: number, q: Tensor, k: Tensor, v: Tensor) => Tensor;

/**
 * Final hidden states of a batch; differentiable with respect to the weights.
 * Right padding needs nothing: a position never sees what comes after it. For left padding give `starts`.
 * @param ids `[B, T]` int32
 * @param options.starts first real token of each row (default all 0); outputs before it mean nothing
 * @returns `[B, T, D]`
 */
export function forward(model: Model, ids: Tensor, options: { readonly starts?: Int32Array } = {}): Tensor {
  const { starts } = options;
  const [batch, length] = ids.shape as [number, number];
  checkLength(length, model.config);
  return tf.tidy(() => {
    const positions = tf.tensor2d(
      Int32Array.from({ length: batch * length }, (_, i) =>
        Math.max(0, (i % length) - (starts?.[Math.floor(i / length)] ?? 0)),
      ),
      [batch, length],
      'int32',
    );
    return hiddenStates(model, ids, positions, (_layer, q, k, v) => causalAttention(q, k, v, { starts }));
  });
}

/** Throws when the rotary embedding was not trained for so many positions. */
export function checkLength(length: number, { maxPositionEmbeddings }: ModelConfig): void {
  if (length > maxPositionEmbeddings)
    throw new RangeError(
      `The sequence has ${length} tokens; the model can take ${maxPositionEmbeddings} (max_position_embeddings).`,
    );
}

/**
 * Logits of the next token.
 * @param hidden `[N, D]` or `[B, T, D]`
 * @returns `[N, V]` or `[B, T, V]`
 */
export function outputLogits(model: Model, hidden: Tensor): Tensor {
  if (model.config.numLabels)
    throw new Error('The model has a scalar head and predicts no tokens; sample from a language model.');
  return model.config.tieWordEmbeddings
    ? linear(hidden, weight(model, 'model.embed_tokens.weight'))
    : linearLayer(model, 'lm_head', hidden);
}

/**
 * The layers around any kind of attention, with or without a cache.
 * @param ids `[B, T]` int32
 * @param positions `[B, T]` int32, for the rotary embedding
 * @returns `[B, T, D]`
 */
export function hiddenStates(model: Model, ids: Tensor, positions: Tensor, attend: Attend): Tensor {
  let x = embedding(weight(model, 'model.embed_tokens.weight'), ids);
  for (let layer = 0; layer < model.config.numHiddenLayers; layer++)
    x = decoderLayer(model, layer, x, positions, attend);
  return finalNorm(model, x);
}

/** One layer, `[B, T, D]` → `[B, T, D]`. */
export function decoderLayer(
  model: Model,
  layer: number,
  x: Tensor,
  positions: Tensor,
  attend: Attend,
): Tensor {
  const norm = (name: string, value: Tensor): Tensor =>
    rmsNorm(value, weight(model, `model.layers.${layer}.${name}.weight`), model.config.rmsNormEps);
  // Tidied in halves: what the backward pass does not need dies here, not at the end of the last layer.
  const afterAttention = tf.tidy(() =>
    selfAttention(model, layer, norm('input_layernorm', x), positions, attend, x),
  );
  return tf.tidy(() =>
    feedForward(model, layer, norm('post_attention_layernorm', afterAttention), afterAttention),
  );
}

/** What the last layer's output passes before it meets the vocabulary. */
export function finalNorm(model: Model, x: Tensor): Tensor {
  return rmsNorm(x, weight(model, 'model.norm.weight'), model.config.rmsNormEps);
}

function selfAttention(
  model: Model,
  layer: number,
  x: Tensor,
  positions: Tensor,
  attend: Attend,
  residual: Tensor,
): Tensor {
  const { modelType, numAttentionHeads, numKeyValueHeads, headDim, rmsNormEps } = model.config;
  const [batch, length] = x.shape as [number, number, number];
  const prefix = `model.layers.${layer}.self_attn`;
  const project = (name: 'q' | 'k' | 'v', heads: number): Tensor =>
    tf.reshape(linearLayer(model, `${prefix}.${name}_proj`, x), [batch, length, heads, headDim]);
  const projectAndRotate = (name: 'q' | 'k', heads: number): Tensor => {
    const projected = project(name, heads);
    const normed =
      modelType === 'qwen3'
        ? rmsNorm(projected, weight(model, `${prefix}.${name}_norm.weight`), rmsNormEps)
        : projected;
    return rotary(normed, positions, rotaryTheta(model.config));
  };
  const attended = attend(
    layer,
    projectAndRotate('q', numAttentionHeads),
    projectAndRotate('k', numKeyValueHeads),
    project('v', numKeyValueHeads),
  );
  const merged = tf.reshape(attended, [batch, length, numAttentionHeads * headDim]);
  return linearLayer(model, `${prefix}.o_proj`, merged, residual);
}

function feedForward(model: Model, layer: number, x: Tensor, residual: Tensor): Tensor {
  const prefix = `model.layers.${layer}.mlp`;
  const gate = linearLayer(model, `${prefix}.gate_proj`, x);
  const up = linearLayer(model, `${prefix}.up_proj`, x);
  return linearLayer(model, `${prefix}.down_proj`, swiglu(gate, up), residual);
}
