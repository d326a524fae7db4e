import { fileURLToPath } from 'node:url';

/** Where a folder or file of `data/` lies: beside this package in the repository. The published package has none. */
export function repositoryData(...parts: readonly string[]): string {
  return fileURLToPath(new URL(['../../data', ...parts].join('/'), import.meta.url));
}
