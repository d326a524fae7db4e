/** A model's weights on disk: one safetensors file, or shards with `model.safetensors.index.json`. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import {
  decodeTensor,
  HEADER_PREFIX,
  headerEnd,
  type NamedTensor,
  safetensorsHeader,
} from './safetensors.js';
import { messageOf } from '../message-of.js';

export const WEIGHTS = 'model.safetensors';
export const WEIGHTS_INDEX = 'model.safetensors.index.json';

const indexSchema = z.object({ weight_map: z.record(z.string(), z.string().min(1)) });

export function hasWeights(dir: string): boolean {
  return [WEIGHTS, WEIGHTS_INDEX].some((name) => existsSync(join(dir, name)));
}

/** All weights of a folder by name. Throws when a file or a weight is missing or damaged, naming it. */
export function readWeights(dir: string): Map<string, NamedTensor> {
  if (existsSync(join(dir, WEIGHTS))) return readSafetensors(join(dir, WEIGHTS));
  const weightMap = readIndex(join(dir, WEIGHTS_INDEX));
  const tensors = new Map<string, NamedTensor>();
  for (const shard of new Set(Object.values(weightMap)))
    for (const [name, tensor] of readShard(dir, shard)) tensors.set(name, tensor);
  const missing = Object.keys(weightMap).find((name) => !tensors.has(name));
  if (missing !== undefined)
    throw new Error(`${weightMap[missing]} lacks ${missing}, which ${WEIGHTS_INDEX} says it has.`);
  return tensors;
}

/** Tensor by tensor: the file may be larger than what can be read at once. */
function readSafetensors(path: string): Map<string, NamedTensor> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = headerEnd(readBytes(file, 0, Math.min(HEADER_PREFIX, size)));
    const { stored } = safetensorsHeader(readBytes(file, 0, Math.min(end, size)), size);
    return new Map(
      stored.map((tensor) => [
        tensor.name,
        { shape: tensor.shape, data: decodeTensor(tensor, readBytes(file, tensor.start, tensor.end)) },
      ]),
    );
  } finally {
    closeSync(file);
  }
}

function readBytes(file: number, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const read = readSync(file, bytes, filled, bytes.length - filled, start + filled);
    if (read === 0) throw new Error(`The file ends at byte ${start + filled}; ${end} were there before.`);
    filled += read;
  }
  return bytes;
}

function readIndex(path: string): Record<string, string> {
  try {
    return indexSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).weight_map;
  } catch (cause) {
    throw new Error(`${WEIGHTS_INDEX} has no readable weight_map; copy or download it again.`, { cause });
  }
}

function readShard(dir: string, shard: string): Map<string, NamedTensor> {
  if (basename(shard) !== shard)
    throw new Error(`${WEIGHTS_INDEX} names ${JSON.stringify(shard)}; shards lie beside it.`);
  if (!existsSync(join(dir, shard)))
    throw new Error(`${shard} is missing, which ${WEIGHTS_INDEX} names; copy or download it.`);
  try {
    return readSafetensors(join(dir, shard));
  } catch (cause) {
    throw new Error(`${shard}: ${messageOf(cause)}`, { cause });
  }
}
