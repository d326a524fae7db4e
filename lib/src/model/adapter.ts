/**
 * LoRA (Hu et al. 2021, arXiv 2106.09685): a frozen linear layer W learns the low-rank update `loraAlpha / r · B A`, so that
 * `h = x Wᵀ + loraAlpha / r · (x Aᵀ) Bᵀ`. Names and first values are PEFT's.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { addLowRank, linear, randomStream } from '../tensor/index.js';
import type { Adapter, LoraConfig, Model, ModelConfig } from './types.js';
import { cloneModel, weight, weightShapes } from './weights.js';

/** What PEFT puts before a module's name. */
export const ADAPTER_PREFIX = 'base_model.model.';
const EMBEDDING = 'model.embed_tokens';

/** All matrices of a layer; with attention's alone LoRA learns less (Schulman et al. 2025, "LoRA Without Regret"). */
const everyProjection = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

export interface AdapterOptions extends Partial<LoraConfig> {
  /** Of the first values of A. */
  readonly seed: number;
}

/**
 * The model with a new adapter, which changes nothing yet: A starts from uniform(±1/√in), as PEFT's kaiming-uniform does, and B at 0.
 * Both share the base weights, which must not change any more. Engines train the adapter alone. Its best learning rate is about ten
 * times that of full training in large models (Schulman et al. 2025); a model of 110,000 weights here wanted the same rate in SFT and
 * three times it in RL (`data/results/lora.json`).
 * ```ts
 * const { model: base, tokenizer } = await loadModel('base');
 * const student = addAdapter(base, { r: 16, loraAlpha: 32, seed: 1 });
 * for await (const step of sft({ engine: createLocalEngine(student), rows })) console.log(step.metrics);
 * await saveAdapter('sft-adapter', student);
 *
 * // What SFT has learnt becomes part of the base of a new adapter. The reference of the KL penalty is then the model
 * // without adapter: exact, and no second copy of the weights.
 * const policy = addAdapter(mergeAdapter(student), { r: 8, loraAlpha: 16, seed: 2 });
 * const engine = createLocalEngine(policy);
 * for await (const step of grpo({ engine, tokenizer, env, tasks, config: { beta: 0.02 } })) console.log(step.metrics);
 * ```
 * Throws when the model has an adapter already, or when a target is not a linear layer of it.
 * @param options.r default 16, TRL's
 * @param options.loraAlpha default 32, TRL's
 * @param options.targetModules default: all seven matrices of every layer
 */
export function addAdapter(
  model: Model,
  { r = 16, loraAlpha = 32, targetModules = everyProjection, seed }: AdapterOptions,
): Model {
  return withAdapter(model, { r, loraAlpha, targetModules }, (name, [rows, columns]) => {
    const values = new Float32Array(rows * columns);
    if (name.endsWith('.lora_B.weight')) return values;
    const random = randomStream(seed, `init ${name}`);
    // kaiming_uniform_(a = √5): √(6 / ((1 + 5) · in))
    const bound = 1 / Math.sqrt(columns);
    return values.map(() => bound * (2 * random.uniform() - 1));
  });
}

/** The model with an adapter whose values are given by name. Throws as `addAdapter` does. */
export function withAdapter(
  { config, weights, adapter }: Model,
  lora: LoraConfig,
  valuesOf: (name: string, shape: readonly [number, number]) => Float32Array,
): Model {
  if (adapter) throw new Error('The model has an adapter already; merge it first (mergeAdapter).');
  const variables = new Map<string, Variable>();
  for (const [name, shape] of adapterShapes(config, lora)) {
    const initial = tf.tensor(valuesOf(name, shape), [...shape], 'float32');
    variables.set(name, tf.variable(initial));
    initial.dispose();
  }
  return { config, weights, adapter: { config: lora, weights: variables } };
}

/**
 * Shape of every weight of an adapter by its PEFT name, in a fixed order: `lora_A` `[r, in]`, `lora_B` `[out, r]`.
 * Throws when r, loraAlpha or a target cannot be, naming it.
 */
export function adapterShapes(config: ModelConfig, lora: LoraConfig): Map<string, readonly [number, number]> {
  const layers = linearLayers(config);
  checkLoraConfig(lora, config, [...layers.keys()]);
  const shapes = new Map<string, readonly [number, number]>();
  for (const [module, [outSize, inSize]] of layers) {
    if (!lora.targetModules.some((target) => isTarget(module, target))) continue;
    shapes.set(loraName(module, 'A'), [lora.r, inSize]);
    shapes.set(loraName(module, 'B'), [outSize, lora.r]);
  }
  return shapes;
}

/**
 * A linear layer of the model with its bias and its adapter, where it has them; differentiable with respect to all of them.
 * @param module e.g. `model.layers.0.self_attn.q_proj`
 * @param x `[..., in]`
 * @param residual `[..., out]` the stream that the layer adds to; no family has a bias on such a layer
 * @returns `[..., out]`
 */
export function linearLayer(model: Model, module: string, x: Tensor, residual?: Tensor): Tensor {
  const start = residual ?? model.weights.get(`${module}.bias`);
  const base = linear(x, weight(model, `${module}.weight`), start);
  const update = model.adapter && updateOf(model.adapter, module);
  return update ? addLowRank(base, x, update.a, update.b, update.scale) : base;
}

/** A model without adapter and with weights of its own, `W + loraAlpha / r · B A`: the same logits within rounding. */
export function mergeAdapter({ config, weights, adapter }: Model): Model {
  if (!adapter) throw new Error('The model has no adapter to merge.');
  const merged = cloneModel({ config, weights });
  for (const [name, target] of merged.weights) {
    const update = updateOf(adapter, moduleOf(name));
    if (!update) continue;
    const { a, b, scale } = update;
    tf.tidy(() => target.assign(tf.add(target, tf.mul(tf.matMul(b, a), scale))));
  }
  return merged;
}

/** Whether the model is the same without it: every B is 0, as at the start. */
export async function changesNothing({ weights }: Adapter): Promise<boolean> {
  for (const [name, variable] of weights)
    if (name.endsWith('.lora_B.weight') && (await variable.data()).some((value) => value !== 0)) return false;
  return true;
}

/** Frees the adapter and leaves the base weights. */
export function disposeAdapter({ weights }: Adapter): void {
  tf.dispose([...weights.values()]);
}

function updateOf(
  { config, weights }: Adapter,
  module: string,
): { readonly a: Variable; readonly b: Variable; readonly scale: number } | undefined {
  const [a, b] = [weights.get(loraName(module, 'A')), weights.get(loraName(module, 'B'))];
  return a && b && { a, b, scale: config.loraAlpha / config.r };
}

function loraName(module: string, part: 'A' | 'B'): string {
  return `${ADAPTER_PREFIX}${module}.lora_${part}.weight`;
}

function moduleOf(weightName: string): string {
  return weightName.replace(/\.weight$/, '');
}

/** `[out, in]` of what can have an adapter, by module name. */
function linearLayers(config: ModelConfig): Map<string, readonly [number, number]> {
  const matrices = [...weightShapes(config)].flatMap(([name, shape]) =>
    shape.length === 2 ? [[moduleOf(name), shape as [number, number]] as const] : [],
  );
  return new Map(matrices.filter(([module]) => module !== EMBEDDING));
}

/** PEFT's rule. */
function isTarget(module: string, target: string): boolean {
  return module === target || module.endsWith(`.${target}`);
}

function checkLoraConfig(
  { r, loraAlpha, targetModules }: LoraConfig,
  { tieWordEmbeddings }: ModelConfig,
  modules: readonly string[],
): void {
  if (!(Number.isInteger(r) && r > 0)) throw new RangeError(`r is ${r}; expected an integer above 0.`);
  if (!(loraAlpha > 0 && Number.isFinite(loraAlpha)))
    throw new RangeError(`loraAlpha is ${loraAlpha}; expected a number above 0, e.g. ${2 * r}.`);
  const known = [...new Set(modules.map((module) => module.split('.').at(-1)))].join(', ');
  if (targetModules.length === 0) throw new Error(`targetModules is empty; name some of ${known}.`);
  for (const target of targetModules) {
    if (modules.some((module) => isTarget(module, target))) continue;
    const reason = isTarget(EMBEDDING, target)
      ? 'is the embedding table, and adapters are for linear layers only'
      : target === 'lm_head' && tieWordEmbeddings
        ? 'shares its matrix with the embedding table in this model (tie_word_embeddings), so it cannot have an adapter of its own'
        : 'is no linear layer of this model';
    throw new Error(`targetModules: ${target} ${reason}. Leave it out, or name some of ${known}.`);
  }
}
