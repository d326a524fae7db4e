import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import type { RunFolder } from 'posttrain/recipes/diagram/run-folder.node';

/** Names and times differ, and only they. */
const OF_ONE_RUN = ['config.json', 'stages.json', 'report.html'];

/** Both runs left the same files, with the same bytes. */
export function expectSameNumbers(a: RunFolder, b: RunFolder): void {
  expect(filesOf(a)).toEqual(filesOf(b));
  for (const file of filesOf(b)) {
    if (OF_ONE_RUN.includes(file)) continue;
    expect(readFileSync(join(a.path, file)).equals(readFileSync(join(b.path, file))), file).toBe(true);
  }
}

/** All files of a run, by their paths in its folder. */
export function filesOf({ path }: RunFolder): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((file) => join(path, file))
    .filter((file) => statSync(file).isFile())
    .map((file) => relative(path, file))
    .sort();
}
