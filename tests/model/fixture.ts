/** Hugging Face reference models (fixtures/make_models.py, make_adapters.py) and small helpers. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSafetensors, type MaskedSequence, type NamedTensor } from 'posttrain/model';
import { loadAdapter } from 'posttrain/model/adapter-checkpoint.node';
import { loadModel } from 'posttrain/model/checkpoint.node';
import type { Model } from 'posttrain/model';

export const families = ['llama-tied-gqa', 'llama-untied', 'qwen2-gqa', 'qwen3-gqa'] as const;

export const fixturePath = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

export interface Reference {
  readonly model: Model;
  readonly tensors: ReadonlyMap<string, NamedTensor>;
  readonly sequences: readonly MaskedSequence[];
  readonly temperature: number;
}

export async function loadReference(family: string): Promise<Reference> {
  return { model: (await loadModel(fixturePath(family))).model, ...readReference(family) };
}

/** The same model with an adapter of PEFT's (fixtures/make_adapters.py). */
export async function loadAdapterReference(family: string): Promise<Reference> {
  const { model } = await loadModel(fixturePath(family));
  const folder = `${family}/adapter`;
  return { model: await loadAdapter(fixturePath(folder), model), ...readReference(folder) };
}

function readReference(folder: string): Omit<Reference, 'model'> {
  const { tensors, metadata } = parseSafetensors(
    readFileSync(fixturePath(`${folder}/reference.safetensors`)),
  );
  const { tokens, masks, temperature } = JSON.parse(metadata['sequences']!) as {
    tokens: number[][];
    masks: number[][];
    temperature: number;
  };
  const sequences = tokens.map((row, i) => ({ tokens: row, mask: masks[i]! }));
  return { tensors, sequences, temperature };
}

/** Largest absolute difference; NaN when the lengths differ or a number is NaN. */
export function maxDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return NaN;
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}
