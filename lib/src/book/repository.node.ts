import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.js';

/** The files below a folder. */
export function openRepository(root: string): Repository {
  return {
    read: (path) => (isFile(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
    list: (folder) =>
      existsSync(join(root, folder)) && !isFile(join(root, folder))
        ? readdirSync(join(root, folder)).sort()
        : [],
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
