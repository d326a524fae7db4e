import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { writeFileAtomic } from '../files.node.js';
import type { Results } from './results.js';

const RECORDED = join('data', 'results');

/** The nearest folder, from this one upwards, that has `data/results`; none: this one. */
export function resultsRoot(folder: string): string {
  const start = resolve(folder);
  let at = start;
  while (!existsSync(join(at, RECORDED))) {
    if (dirname(at) === at) return start;
    at = dirname(at);
  }
  return at;
}

/** Where the results of this name are recorded, for the notebooks of a folder. */
export function recordedFile(folder: string, name: string): string {
  return join(resultsRoot(folder), RECORDED, `${name}.json`);
}

/** Where a run leaves its results; a fast one leaves others, in another file. */
export function runFile(folder: string, name: string, fast: boolean): string {
  return join(resultsRoot(folder), 'runs', 'notebooks', `${name}${fast ? '-fast' : ''}.json`);
}

/** How a notebook's output names one of these files: the same on every machine. */
export function shownPath(folder: string, file: string): string {
  return relative(resultsRoot(folder), file).replaceAll('\\', '/');
}

/** `undefined` where there is no such file. @throws Error that names the file for one that is no JSON. */
export function readResults(file: string): Results | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } catch (error) {
    throw new Error(`${file} is no JSON: ${(error as Error).message}`);
  }
}

export function writeResults(file: string, results: Results): void {
  writeFileAtomic(file, `${JSON.stringify(results, null, 1)}\n`);
}
