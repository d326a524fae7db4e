import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';

/** An editor writes a file in several steps. */
const QUIET_MS = 150;

/** Calls `onChange` after files in one of the folders have changed, once for all that change together. Returns what ends it. */
export function watchFolders(root: string, folders: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  };
  const watchers = folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .map((folder) => watch(folder, { recursive: true }, changed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
