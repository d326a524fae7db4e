/** Models that travel with the book. */
import { configFromJSON, modelFrom, parseSafetensors, type Model } from '../../model/index.js';
import { tokenizerFromJSON, type Tokenizer } from '../../text/index.js';
import type { Stage } from './demo.js';

/** The tokenizer of all of them; the demo needs `tokenizer`. */
export async function readTokenizer(read: Stage['read']): Promise<Tokenizer> {
  return tokenizerFromJSON(await readText(read, 'base/tokenizer.json'));
}

/** The model of a folder of `data`. The caller disposes it. Needs a back end. */
export async function readModel(read: Stage['read'], folder: string): Promise<Model> {
  const { tensors } = parseSafetensors(await read(`${folder}/model.safetensors`));
  const config = configFromJSON(await readText(read, `${folder}/config.json`));
  return modelFrom(config, (name) => tensors.get(name)!.data);
}

async function readText(read: Stage['read'], path: string): Promise<string> {
  return new TextDecoder().decode(await read(path));
}
