/** Open weights: Llama, Qwen2, Qwen3, SmolLM2, from a folder or from the Hugging Face Hub. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { checkedWeights, CONFIG, requireCheckpoint, TOKENIZER } from '../model/checkpoint.node.js';
import { configFromJSON } from '../model/config.js';
import { type Model, modelFrom, type ModelConfig } from '../model/index.js';
import { chatTokens, type Tokenizer, tokenizerFromJSON } from '../text/index.js';
import { downloadModel, type DownloadOptions } from './download.node.js';
import { hubTokenizer } from './hub-tokenizer.js';
import { messageOf } from '../message-of.js';

export interface Pretrained {
  readonly model: Model;
  /** With `chat` where the model has a chat template, so that rollouts and trainers speak as the model was taught to. */
  readonly tokenizer: Tokenizer;
  /** Where its files lie. */
  readonly folder: string;
}

const generationSchema = z.object({
  eos_token_id: z
    .union([z.int(), z.array(z.int())])
    .nullable()
    .optional(),
});

/**
 * A model with its tokenizer and chat format, from a folder in Hugging Face's layout or, by its id, from the hub. Weights in bfloat16
 * and float16 become float32, so a model takes four bytes a parameter here.
 * ```ts
 * const { model, tokenizer } = await loadPretrained('HuggingFaceTB/SmolLM2-135M-Instruct');
 * ```
 * Throws, naming folder or id, when a file is missing or damaged, the architecture is not supported, weights do not fit the config, the
 * tokenizer has more tokens than the model (fewer are normal: tables are padded), or the hub refuses the download.
 */
export async function loadPretrained(
  folderOrHubId: string,
  options: DownloadOptions = {},
): Promise<Pretrained> {
  const folder = await folderOf(folderOrHubId, options);
  requireCheckpoint(folder);
  try {
    const config = configFromJSON(readText(folder, CONFIG));
    const tokenizer = await readTokenizer(folder, config);
    if (tokenizer.vocabSize > config.vocabSize)
      throw new Error(
        `the tokenizer has ${tokenizer.vocabSize} tokens, the model only ${config.vocabSize}: they do not belong together`,
      );
    const tensors = checkedWeights(folder, config);
    return { model: modelFrom(config, (name) => tensors.get(name)!.data), tokenizer, folder };
  } catch (cause) {
    throw new Error(`Pretrained model ${folder}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function folderOf(folderOrHubId: string, options: DownloadOptions): Promise<string> {
  if (existsSync(folderOrHubId)) return folderOrHubId;
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(folderOrHubId)) return downloadModel(folderOrHubId, options);
  throw new Error(
    `${JSON.stringify(folderOrHubId)} is neither a folder nor an id of the hub, e.g. HuggingFaceTB/SmolLM2-135M-Instruct.`,
  );
}

async function readTokenizer(folder: string, config: ModelConfig): Promise<Tokenizer> {
  const tokenizer = readText(folder, TOKENIZER);
  if (isOurs(tokenizer)) return tokenizerFromJSON(tokenizer);
  const optional = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readText(folder, name) : undefined;
  const [tokenizerConfig, chatTemplate] = ['tokenizer_config.json', 'chat_template.jinja'].map(optional);
  return hubTokenizer({
    tokenizer,
    ...(tokenizerConfig !== undefined && { config: tokenizerConfig }),
    ...(chatTemplate !== undefined && { chatTemplate }),
    endTokens: endTokens(optional('generation_config.json'), config),
  });
}

/** Tokenizers trained with this library begin with its chat tokens, and need no template. */
function isOurs(tokenizerJSON: string): boolean {
  return chatTokens.every((token) => tokenizerJSON.includes(JSON.stringify(token)));
}

/** What ends generation: the generation config says more than the model's (Llama 3: three tokens). */
function endTokens(generationConfig: string | undefined, { eosTokenId }: ModelConfig): number[] {
  const ids = generationConfig && generationSchema.parse(JSON.parse(generationConfig)).eos_token_id;
  return [(ids || eosTokenId) ?? []].flat();
}

function readText(folder: string, name: string): string {
  if (!existsSync(join(folder, name))) throw new Error(`${name} is missing; copy or download it`);
  return readFileSync(join(folder, name), 'utf8');
}
