/** Tiny models in the layouts of published ones, with what transformers makes of them (fixtures/make_pretrained.py). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSafetensors } from 'posttrain/model';
import { hubTokenizer } from 'posttrain/pretrained/hub-tokenizer';
import type { ChatMessage, Tokenizer } from 'posttrain/text';

export const pretrainedFolders = [
  'llama-tied',
  'llama-untied',
  'qwen2',
  'qwen3',
  'smollm2-sharded-bf16',
] as const;

export const pretrainedPath = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

export interface PretrainedReference {
  readonly texts: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly decoded: string;
  }[];
  readonly chats: readonly {
    /** Ends with a reply; `prompt` are the ids of all before it, `whole` of all. */
    readonly messages: readonly ChatMessage[];
    readonly prompt: readonly number[];
    readonly whole: readonly number[];
  }[];
  readonly sequence: readonly number[];
  readonly vocab_size: number;
}

export function readReference(name: string): PretrainedReference {
  return JSON.parse(read(name, 'reference.json')) as PretrainedReference;
}

/** Logits `[24, V]` of the last positions of the reference's sequence. */
export function readLogits(name: string): Float32Array {
  return parseSafetensors(readFileSync(`${pretrainedPath(name)}/reference.safetensors`)).tensors.get(
    'logits',
  )!.data;
}

export async function readTokenizer(name: string): Promise<Tokenizer> {
  return hubTokenizer({
    tokenizer: read(name, 'tokenizer.json'),
    config: read(name, 'tokenizer_config.json'),
    chatTemplate: read(name, 'chat_template.jinja'),
  });
}

const read = (name: string, file: string): string => readFileSync(`${pretrainedPath(name)}/${file}`, 'utf8');
