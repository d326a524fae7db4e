/** Checkpoints in Hugging Face layout: `config.json`, `model.safetensors`, `tokenizer.json`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import { tokenizerFromJSON, type Tokenizer } from '../text/index.js';
import { configFromJSON, configToJSON } from './config.js';
import { ADAPTER_CONFIG } from './adapter-checkpoint.node.js';
import { type NamedTensor, type SafetensorsType, serializeSafetensors } from './safetensors.js';
import { checkStored, storedWeights } from './stored-weights.js';
import type { Model, ModelConfig } from './types.js';
import { hasWeights, readWeights, WEIGHTS } from './weight-files.node.js';
import { modelFrom, weightShapes } from './weights.js';
import { messageOf } from '../message-of.js';

export const CONFIG = 'config.json';
export const TOKENIZER = 'tokenizer.json';

export interface Checkpoint {
  readonly model: Model;
  /** Absent when the folder has no `tokenizer.json`. */
  readonly tokenizer?: Tokenizer;
}

/**
 * Writes a model, and its tokenizer, into a folder that transformers can load. Each file appears whole or not at
 * all, the weights last.
 * Throws, before anything is written, when a weight is not finite or too large for `F16`, the model has an adapter or the tokenizer
 * belongs to another model.
 * @param options.dtype `F32` keeps every bit (the default); `F16` and `BF16` halve the file and keep 11 and 8 bits of each weight
 */
export async function saveModel(
  dir: string,
  model: Model,
  tokenizer?: Tokenizer,
  { dtype = 'F32' }: { readonly dtype?: SafetensorsType } = {},
): Promise<void> {
  if (tokenizer) checkVocabulary(model.config, tokenizer);
  if (model.adapter)
    throw new Error(
      'The model has an adapter: merge it (mergeAdapter), or write the adapter alone (saveAdapter).',
    );
  const tensors = await storedWeights(model.weights);
  if (dtype === 'F16') requireHalfRange(tensors);
  const weights = serializeSafetensors(tensors, { dtype, metadata: { format: 'pt' } });
  if (tokenizer) writeFileAtomic(join(dir, TOKENIZER), tokenizer.toJSON());
  writeFileAtomic(join(dir, CONFIG), configToJSON(model.config, dtype));
  writeFileAtomic(join(dir, WEIGHTS), weights);
}

/**
 * Reads a checkpoint written by `saveModel` or by transformers, in one safetensors file or several.
 * Throws, naming the folder and what is wrong: a file missing or damaged, a config that is not supported, weights
 * missing, unknown, of another shape or not finite, a tokenizer with another vocabulary.
 */
export async function loadModel(dir: string): Promise<Checkpoint> {
  requireCheckpoint(dir);
  try {
    const config = configFromJSON(readFileSync(join(dir, CONFIG), 'utf8'));
    const tensors = checkedWeights(dir, config);
    const tokenizer = existsSync(join(dir, TOKENIZER))
      ? tokenizerFromJSON(readFileSync(join(dir, TOKENIZER), 'utf8'))
      : undefined;
    if (tokenizer) checkVocabulary(config, tokenizer);
    return { model: modelFrom(config, (name) => tensors.get(name)!.data), tokenizer };
  } catch (cause) {
    throw new Error(`Checkpoint ${dir}: ${messageOf(cause)}`, { cause });
  }
}

/** Throws when a folder lacks config or weights, naming which. */
export function requireCheckpoint(dir: string): void {
  const missing = !existsSync(join(dir, CONFIG)) ? CONFIG : hasWeights(dir) ? undefined : WEIGHTS;
  if (missing === undefined) return;
  throw new Error(
    existsSync(join(dir, ADAPTER_CONFIG))
      ? `${dir} holds an adapter: load its base model, and the adapter onto it (loadAdapter).`
      : `No checkpoint in ${dir}: ${missing} is missing. Check the path, or train the model first.`,
  );
}

/** The weights of a folder. Throws when one is missing, unknown, of another shape than the config asks for, or not finite. */
export function checkedWeights(dir: string, config: ModelConfig): Map<string, NamedTensor> {
  const tensors = readWeights(dir);
  // Some files repeat the embedding table as the output projection that it is.
  if (config.tieWordEmbeddings) tensors.delete('lm_head.weight');
  checkStored(tensors, { shapes: weightShapes(config), config: CONFIG, weights: WEIGHTS });
  return tensors;
}

/** The smallest magnitude that half precision rounds to infinity. */
const HALF_OVERFLOW = 65_520;

function requireHalfRange(tensors: ReadonlyMap<string, NamedTensor>): void {
  for (const [name, { data }] of tensors) {
    const large = data.find((value) => Math.abs(value) >= HALF_OVERFLOW);
    if (large !== undefined)
      throw new Error(`${name} holds ${large}, which is too large for F16; use BF16 or F32.`);
  }
}

function checkVocabulary(config: ModelConfig, tokenizer: Tokenizer): void {
  if (tokenizer.vocabSize !== config.vocabSize)
    throw new Error(
      `The tokenizer has ${tokenizer.vocabSize} tokens, the model ${config.vocabSize}: they do not belong together.`,
    );
}
