import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FindResults } from '../notebook/cited-numbers.js';
import { readResults } from '../notebook/results-files.node.js';
import { packageVersion } from '../version.node.js';
import { makeBook } from './book.js';
import { commitOf } from './commit.node.js';
import { demoMarkup } from './demos/markup.js';
import type { Book } from './page.js';
import { openRepository } from './repository.node.js';
import { createRunPrograms } from './run-programs.node.js';

export interface ReadBookOptions {
  /** `false`: no program of a chapter runs, and their outputs stay as they were written. Default `true`. */
  readonly run?: boolean;
}

/**
 * The book of the repository at `root`.
 * @throws BookError with everything that is wrong with it, each with its file and line.
 */
export function readBook(root: string, { run = true }: ReadBookOptions = {}): Promise<Book> {
  return makeBook({
    repository: openRepository(root),
    findResults: resultsIn(root),
    runPrograms: run ? createRunPrograms({ root }) : undefined,
    drawDemo: (name, values) => demoMarkup(name, values, (path) => readFile(join(root, 'data', path))),
    version: packageVersion(),
    commit: commitOf(root),
  });
}

/** Each file is read once: texts cite many numbers of one. */
function resultsIn(root: string): FindResults {
  const known = new Map<string, unknown>();
  return (name) => {
    if (!known.has(name)) known.set(name, readResults(join(root, 'data', 'results', `${name}.json`)));
    return known.get(name);
  };
}
