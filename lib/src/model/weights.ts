/** Names, shapes and first values of a model's weights. */
import * as tf from '@tensorflow/tfjs-core';
import { requireBackend } from '../tensor/checks.js';
import { randomStream } from '../tensor/random.js';
import { checkedConfig } from './config.js';
import type { Adapter, Model, ModelConfig } from './types.js';

/** The scalar head of a reward model or a critic. */
export const SCORE = 'score.weight';

/** Shape of every weight by its Hugging Face name, in a fixed order. Linear weights are `[out, in]`. */
export function weightShapes(config: ModelConfig): Map<string, number[]> {
  const { hiddenSize, intermediateSize, vocabSize, headDim } = config;
  const querySize = config.numAttentionHeads * headDim;
  const keySize = config.numKeyValueHeads * headDim;
  const shapes = new Map<string, number[]>([['model.embed_tokens.weight', [vocabSize, hiddenSize]]]);
  for (let layer = 0; layer < config.numHiddenLayers; layer++) {
    const add = (name: string, shape: number[]): unknown =>
      shapes.set(`model.layers.${layer}.${name}`, shape);
    add('input_layernorm.weight', [hiddenSize]);
    for (const [name, size] of [
      ['q_proj', querySize],
      ['k_proj', keySize],
      ['v_proj', keySize],
    ] as const) {
      add(`self_attn.${name}.weight`, [size, hiddenSize]);
      if (config.modelType === 'qwen2') add(`self_attn.${name}.bias`, [size]);
    }
    if (config.modelType === 'qwen3') {
      add('self_attn.q_norm.weight', [headDim]);
      add('self_attn.k_norm.weight', [headDim]);
    }
    add('self_attn.o_proj.weight', [hiddenSize, querySize]);
    add('post_attention_layernorm.weight', [hiddenSize]);
    add('mlp.gate_proj.weight', [intermediateSize, hiddenSize]);
    add('mlp.up_proj.weight', [intermediateSize, hiddenSize]);
    add('mlp.down_proj.weight', [hiddenSize, intermediateSize]);
  }
  shapes.set('model.norm.weight', [hiddenSize]);
  if (config.numLabels) shapes.set(SCORE, [config.numLabels, hiddenSize]);
  else if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [vocabSize, hiddenSize]);
  return shapes;
}

/** Number of weights in a model of this config, adapters aside. */
export function parameterCount(config: ModelConfig): number {
  return [...weightShapes(config).values()].reduce((sum, shape) => sum + sizeOf(shape), 0);
}

/**
 * A new model. Norms start at 1, biases at 0, the rest from normal(0, 1/√inputs), which keeps the size of what flows through a
 * matrix (the usual 0.02 does so at 2,500 inputs; at 128 it would shrink it four times). The
 * projections that write to the residual stream are divided by √(2 · layers), so that its variance does not grow with depth (GPT-2).
 * The same seed gives the same weights on every back end.
 * @throws when no back end has been started
 */
export function createModel(config: ModelConfig, seed: number): Model {
  const residualScale = 1 / Math.sqrt(2 * config.numHiddenLayers);
  return modelFrom(config, (name, shape) => {
    if (name.endsWith('norm.weight')) return new Float32Array(sizeOf(shape)).fill(1);
    if (name.endsWith('.bias')) return new Float32Array(sizeOf(shape));
    const random = randomStream(seed, `init ${name}`);
    const scale = /(o_proj|down_proj)\.weight$/.test(name) ? residualScale : 1;
    const deviation = scale / Math.sqrt(shape.at(-1) ?? 1);
    return Float32Array.from({ length: sizeOf(shape) }, () => deviation * random.normal());
  });
}

/** A model whose weights are given by name. Throws when no back end has been started. */
export function modelFrom(
  config: ModelConfig,
  valuesOf: (name: string, shape: readonly number[]) => Float32Array,
): Model {
  requireBackend();
  const weights = new Map<string, tf.Variable>();
  for (const [name, shape] of weightShapes(checkedConfig(config))) {
    const initial = tf.tensor(valuesOf(name, shape), shape, 'float32');
    weights.set(name, tf.variable(initial));
    initial.dispose();
  }
  return { config, weights };
}

/** Weight of a model by name. Throws when there is none. */
export function weight(model: Model, name: string): tf.Variable {
  const found = model.weights.get(name);
  if (!found) throw new Error(`The model has no weight ${name}.`);
  return found;
}

/** What is trained: the adapter's weights where the model has one, else all. */
export function trainableWeights({ weights, adapter }: Model): ReadonlyMap<string, tf.Variable> {
  return adapter?.weights ?? weights;
}

/**
 * Copies all weights of one model into another of the same config, its adapter's too; the two stay independent.
 * Throws when a weight is missing in one of them or has another shape.
 */
export function copyWeights(from: Model, to: Model): void {
  const [sources, targets] = [allWeights(from), allWeights(to)];
  const missing = [...sources.keys()].find((name) => !targets.has(name));
  if (missing !== undefined) throw new Error(`copyWeights: the model copied to has no ${missing}.`);
  for (const [name, target] of targets) {
    const source = sources.get(name);
    if (!source) throw new Error(`copyWeights: the model copied from has no ${name}.`);
    if (source.shape.join() !== target.shape.join())
      throw new Error(
        `copyWeights: ${name} is [${source.shape}] in one model and [${target.shape}] in the other.`,
      );
    tf.tidy(() => target.assign(copied(source)));
  }
}

/** A second model with the same weights, e.g. the frozen reference of a KL penalty. */
export function cloneModel({ config, weights, adapter }: Model): Model {
  return { config, weights: cloneWeights(weights), ...(adapter && { adapter: cloneAdapter(adapter) }) };
}

export function cloneAdapter({ config, weights }: Adapter): Adapter {
  return { config, weights: cloneWeights(weights) };
}

/** Frees all weights, its adapter's too. The model must not be used afterwards. */
export function disposeModel(model: Model): void {
  tf.dispose([...allWeights(model).values()]);
}

function allWeights({ weights, adapter }: Model): Map<string, tf.Variable> {
  return new Map([...weights, ...(adapter?.weights ?? [])]);
}

function cloneWeights(weights: ReadonlyMap<string, tf.Variable>): Map<string, tf.Variable> {
  return new Map([...weights].map(([name, source]) => [name, tf.tidy(() => tf.variable(copied(source)))]));
}

/** Variables made or assigned from a tensor share its memory, and optimizers write in place: a product has memory of its own. */
function copied(source: tf.Tensor): tf.Tensor {
  return tf.mul(source, 1);
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
