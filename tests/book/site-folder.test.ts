import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeSite } from '../../lib/src/book/site-folder.node.js';

let work: string;
let folder: string;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'posttrain-site-'));
  folder = join(work, 'deep', 'site');
});
afterEach(() => rm(work, { recursive: true, force: true }));

const site = (text: string, ...more: readonly string[]): Map<string, string> =>
  new Map([['assets/book.js', ''], ['index.html', text], ...more.map((place) => [place, ''] as const)]);

it('writes files into folders of any depth, in place of an older site', async () => {
  await writeSite(site('first', 'source/a/b.html'), folder);
  await writeSite(site('second'), folder);
  expect(await readFile(join(folder, 'index.html'), 'utf8')).toBe('second');
  expect((await readdir(folder)).sort()).toEqual(['assets', 'index.html']);
  expect(await readdir(join(work, 'deep'))).toEqual(['site']);
});

it('leaves the old site when one cannot be written', async () => {
  await writeSite(site('first'), folder);
  // a file cannot also be a folder
  await expect(writeSite(site('second', 'index.html/within'), folder)).rejects.toThrow();
  expect(await readFile(join(folder, 'index.html'), 'utf8')).toBe('first');
  expect(await readdir(join(work, 'deep'))).toEqual(['site']);
});

it('takes an empty folder, and none with other files in it', async () => {
  await mkdir(folder, { recursive: true });
  await writeSite(site('first'), folder);
  await writeFile(join(work, 'diary.txt'), 'dear diary');
  await expect(writeSite(site('second'), work)).rejects.toThrow(
    'holds other files, which building the book would delete',
  );
  expect(await readFile(join(work, 'diary.txt'), 'utf8')).toBe('dear diary');
});
