/** The files that the book is made from. Paths are relative to the repository's root, with `/`. */
export interface Repository {
  /** Text of a file; `undefined` where there is none. */
  readonly read: (path: string) => string | undefined;
  /** Names of files and folders in a folder, sorted; none where there is no such folder. */
  readonly list: (folder: string) => readonly string[];
}

/** Folder and name of a path put together, without `.` and `..`; `undefined` for one that leads out of the repository. */
export function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
