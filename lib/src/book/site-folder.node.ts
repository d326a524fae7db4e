import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SCRIPT } from './shell/places.js';

/**
 * Puts the files in place of what the folder has held: written beside it first, so that a build that fails leaves the old site.
 * @throws Error when the folder holds something that is no site of this book
 */
export async function writeSite(files: ReadonlyMap<string, string | Uint8Array>, out: string): Promise<void> {
  const folder = resolve(out);
  await checkReplaceable(folder);
  await mkdir(dirname(folder), { recursive: true });
  const beside = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  const [next, last] = [join(beside, 'next'), join(beside, 'last')];
  try {
    await writeAll(files, next);
    if (existsSync(folder)) await rename(folder, last);
    await rename(next, folder);
  } catch (error) {
    if (existsSync(last) && !existsSync(folder)) await rename(last, folder);
    throw error;
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function checkReplaceable(folder: string): Promise<void> {
  if (!existsSync(folder) || existsSync(join(folder, SCRIPT)) || (await readdir(folder)).length === 0) return;
  throw new Error(
    `${folder} holds other files, which building the book would delete; name a folder that is new, empty or an older site`,
  );
}

async function writeAll(files: ReadonlyMap<string, string | Uint8Array>, folder: string): Promise<void> {
  const folders = new Set([...files.keys()].map((place) => dirname(join(folder, place))));
  for (const each of folders) await mkdir(each, { recursive: true });
  for (const [place, content] of files) await writeFile(join(folder, place), content);
}
