/** Checkpoints in Hugging Face layout: `config.json`, `model.safetensors`, `tokenizer.json`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import { tokenizerFromJSON, type Tokenizer } from '../text/index.js';
import { configFromJSON, configToJSON } from './config.js';
import { parseSafetensors, serializeSafetensors, type NamedTensor } from './safetensors.js';
import type { Model, ModelConfig } from './types.js';
import { modelFrom, weightShapes } from './weights.js';

const CONFIG = 'config.json';
const WEIGHTS = 'model.safetensors';
const TOKENIZER = 'tokenizer.json';

export interface Checkpoint {
  readonly model: Model;
  /** Absent when the folder has no `tokenizer.json`. */
  readonly tokenizer?: Tokenizer;
}

/**
 * Writes a model, and its tokenizer, into a folder that transformers can load. Each file appears whole or not at
 * all, the weights last.
 * Throws, before anything is written, when a weight is not finite or the tokenizer belongs to another model.
 * @param options.dtype `F32` keeps every bit (the default), `BF16` halves the file
 */
export async function saveModel(
  dir: string,
  model: Model,
  tokenizer?: Tokenizer,
  { dtype = 'F32' }: { readonly dtype?: 'F32' | 'BF16' } = {},
): Promise<void> {
  if (tokenizer) checkVocabulary(model.config, tokenizer);
  const tensors = new Map<string, NamedTensor>();
  for (const [name, variable] of model.weights)
    tensors.set(name, { shape: variable.shape, data: finite(name, await variable.data<'float32'>()) });
  const weights = serializeSafetensors(tensors, { dtype, metadata: { format: 'pt' } });
  if (tokenizer) writeFileAtomic(join(dir, TOKENIZER), tokenizer.toJSON());
  writeFileAtomic(join(dir, CONFIG), configToJSON(model.config));
  writeFileAtomic(join(dir, WEIGHTS), weights);
}

/**
 * Reads a checkpoint written by `saveModel` or by transformers (one safetensors file).
 * Throws, naming the folder and what is wrong: a file missing or damaged, a config that is not supported, weights
 * missing, unknown, of another shape or not finite, a tokenizer with another vocabulary.
 */
export async function loadModel(dir: string): Promise<Checkpoint> {
  for (const name of [CONFIG, WEIGHTS])
    if (!existsSync(join(dir, name)))
      throw new Error(
        `No checkpoint in ${dir}: ${name} is missing. Check the path, or train the model first.`,
      );
  try {
    const config = configFromJSON(readFileSync(join(dir, CONFIG), 'utf8'));
    const { tensors } = parseSafetensors(readFileSync(join(dir, WEIGHTS)));
    checkWeights(config, tensors);
    const tokenizer = existsSync(join(dir, TOKENIZER))
      ? tokenizerFromJSON(readFileSync(join(dir, TOKENIZER), 'utf8'))
      : undefined;
    if (tokenizer) checkVocabulary(config, tokenizer);
    return { model: modelFrom(config, (name) => tensors.get(name)!.data), tokenizer };
  } catch (cause) {
    throw new Error(`Checkpoint ${dir}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function checkWeights(config: ModelConfig, tensors: ReadonlyMap<string, NamedTensor>): void {
  const shapes = weightShapes(config);
  for (const [name, shape] of shapes) {
    const found = tensors.get(name);
    if (!found) throw new Error(`${WEIGHTS} lacks ${name}; its config.json asks for it.`);
    if (found.shape.join() !== shape.join())
      throw new Error(
        `${name} is [${found.shape.join(', ')}]; its config.json asks for [${shape.join(', ')}].`,
      );
    finite(name, found.data);
  }
  for (const name of tensors.keys()) {
    const repeatsEmbedding = config.tieWordEmbeddings && name === 'lm_head.weight';
    if (!shapes.has(name) && !repeatsEmbedding)
      throw new Error(
        `${WEIGHTS} has ${name}, which a ${config.modelType} model of this config does not use.`,
      );
  }
}

function checkVocabulary(config: ModelConfig, tokenizer: Tokenizer): void {
  if (tokenizer.vocabSize !== config.vocabSize)
    throw new Error(
      `The tokenizer has ${tokenizer.vocabSize} tokens, the model ${config.vocabSize}: they do not belong together.`,
    );
}

function finite(name: string, data: Float32Array): Float32Array {
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new Error(`${name} holds ${data[bad]} at position ${bad}; go back to an earlier checkpoint.`);
  return data;
}
