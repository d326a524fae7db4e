import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where a folder or file of `data/` lies: beside this package in the repository. The published package has none. */
export function repositoryData(...parts: readonly string[]): string {
  return fileURLToPath(new URL(['../../data', ...parts].join('/'), import.meta.url));
}

/**
 * The recorded numbers of an experiment or a notebook: `data/results/NAME.json` of the repository.
 * @throws Error when there are none of this name
 */
export function recordedResults(name: string): unknown {
  const path = repositoryData('results', `${name}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  throw new Error(
    `there is no ${path}; the names are those of the files in data/results of the repository, e.g. "diagram"`,
  );
}
