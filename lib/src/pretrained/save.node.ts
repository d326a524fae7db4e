import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import { saveModel, TOKENIZER } from '../model/checkpoint.node.js';
import type { Pretrained } from './load.node.js';

/** What belongs to a model besides config and weights, and no training changes. */
const COMPANIONS = [TOKENIZER, 'tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'];

/**
 * Writes open weights after training, with the tokenizer and the chat template of the folder they were loaded from, so that
 * `loadPretrained`, transformers and vLLM can load them. Of a model with an adapter, give the merged one (`mergeAdapter`), or write the
 * adapter alone (`saveAdapter`). Throws as `saveModel` does.
 * @param options.dtype `F32` keeps every bit (the default), `BF16` halves the file
 */
export async function savePretrained(
  dir: string,
  { model, folder }: Pick<Pretrained, 'model' | 'folder'>,
  options: { readonly dtype?: 'F32' | 'BF16' } = {},
): Promise<void> {
  for (const name of COMPANIONS)
    if (existsSync(join(folder, name))) writeFileAtomic(join(dir, name), readFileSync(join(folder, name)));
  await saveModel(dir, model, undefined, options);
}
