/** Adapters in PEFT's layout: `adapter_config.json`, `adapter_model.safetensors`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import { adapterConfigFromJSON, adapterConfigToJSON, mergeInPython } from './adapter-config.js';
import { ADAPTER_PREFIX, adapterShapes, withAdapter } from './adapter.js';
import { type NamedTensor, parseSafetensors, serializeSafetensors } from './safetensors.js';
import { checkStored, storedWeights } from './stored-weights.js';
import type { Model } from './types.js';
import { messageOf } from '../message-of.js';

export const ADAPTER_CONFIG = 'adapter_config.json';
const ADAPTER_WEIGHTS = 'adapter_model.safetensors';

/**
 * Writes the model's adapter, without its base weights, into a folder that PEFT and vLLM can load. Each file appears whole or not at
 * all, the weights last.
 * Throws, before anything is written, when the model has no adapter or a weight is not finite.
 * @param options.baseModelNameOrPath where Python finds the base model; who loads the adapter onto a model of his own needs none
 */
export async function saveAdapter(
  dir: string,
  { adapter }: Model,
  { baseModelNameOrPath }: { readonly baseModelNameOrPath?: string } = {},
): Promise<void> {
  if (!adapter) throw new Error('The model has no adapter; write it with saveModel.');
  const tensors = await storedWeights(adapter.weights);
  writeFileAtomic(join(dir, ADAPTER_CONFIG), adapterConfigToJSON(adapter.config, baseModelNameOrPath));
  writeFileAtomic(join(dir, ADAPTER_WEIGHTS), serializeSafetensors(tensors, { metadata: { format: 'pt' } }));
}

/**
 * The model with an adapter written by `saveAdapter` or by PEFT; both share the base weights.
 * Throws, naming the folder and what is wrong: a file missing or damaged, a config that is not supported, targets that
 * this model does not have, weights missing, unknown, of another shape or not finite, base weights that are not this model's.
 */
export async function loadAdapter(dir: string, model: Model): Promise<Model> {
  for (const name of [ADAPTER_CONFIG, ADAPTER_WEIGHTS])
    if (!existsSync(join(dir, name)))
      throw new Error(`No adapter in ${dir}: ${name} is missing. Check the path, or save the adapter first.`);
  try {
    const lora = adapterConfigFromJSON(readFileSync(join(dir, ADAPTER_CONFIG), 'utf8'));
    const { tensors } = parseSafetensors(readFileSync(join(dir, ADAPTER_WEIGHTS)));
    const shapes = adapterShapes(model.config, lora);
    await dropBaseCopies(tensors, model);
    checkStored(tensors, { shapes, config: ADAPTER_CONFIG, weights: ADAPTER_WEIGHTS });
    return withAdapter(model, lora, (name) => tensors.get(name)!.data);
  } catch (cause) {
    throw new Error(`Adapter ${dir}: ${messageOf(cause)}`, { cause });
  }
}

/** PEFT puts copies of base weights into some files, of `lm_head` where that is a target; they must be the model's own. */
async function dropBaseCopies(tensors: Map<string, NamedTensor>, { weights }: Model): Promise<void> {
  for (const [name, { data }] of tensors) {
    const base = weights.get(name.replace(ADAPTER_PREFIX, '').replace('.base_layer.', '.'));
    if (!base) continue;
    const values = await base.data<'float32'>();
    if (data.length !== values.length || data.some((value, i) => value !== values[i]))
      throw new Error(
        `${ADAPTER_WEIGHTS} has ${name} with other values than this model: load the base model it was trained on. If it was trained too: ${mergeInPython}`,
      );
    tensors.delete(name);
  }
}
