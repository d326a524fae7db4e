import { loadModel } from '../../model/checkpoint.node.js';
import { disposeModel, type Model } from '../../model/index.js';
import type { Tokenizer } from '../../text/index.js';

/** A checkpoint that can act. */
export interface Policy {
  readonly model: Model;
  readonly tokenizer: Tokenizer;
}

/** Loads model and tokenizer from a folder in Hugging Face layout. Throws when either is missing or damaged. */
export async function loadPolicy(dir: string): Promise<Policy> {
  const { model, tokenizer } = await loadModel(dir);
  if (tokenizer !== undefined) return { model, tokenizer };
  disposeModel(model);
  throw new Error(`${dir} has no tokenizer.json; copy the tokenizer it was trained with beside it.`);
}
