import { readFileSync } from 'node:fs';
import { writeFileAtomic } from '../files.node.js';
import { parseDataset, serializeDataset } from './json-lines.js';
import type { Dataset, DatasetExamples, DatasetType } from './types.js';

/** Reads a JSON Lines file. Throws what the file system says, and, with line and column, on what is no example. */
export function readDataset(path: string): Dataset {
  return parseDataset(readFileSync(path, 'utf8'), path);
}

/** Writes a JSON Lines file that Hugging Face `datasets` loads, whole or not at all. */
export function writeDataset(path: string, examples: Iterable<DatasetExamples[DatasetType]>): void {
  writeFileAtomic(path, serializeDataset(examples));
}
