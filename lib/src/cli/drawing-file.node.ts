/** Drawings as files, in the format that the ending of the name says. */
import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { Canvas } from '../envs/diagram/types.js';
import { writeFileAtomic } from '../files.node.js';
import { diagramFormats, formatOf, type Imported } from '../formats/index.js';
import { fromPng, toPng } from '../formats/png.node.js';

const PNG = '.png';

/** All endings, each with its program or language. */
export const drawingEndings: string = [
  ...diagramFormats.map(({ ending, name }) => `${ending} (${name})`),
  `${PNG} (PNG)`,
].join(', ');

const isPng = (path: string): boolean => path.toLowerCase().endsWith(PNG);

/** For options and arguments: a name whose ending is known. */
export function drawingFile(path: string): string {
  if (isPng(path) || formatOf(path) !== undefined) return path;
  throw new InvalidArgumentError(`Expected a name that ends in one of ${drawingEndings}.`);
}

/** @throws Error in one sentence, with the file's name, when there is none or it cannot be read as what its ending says. */
export function readDrawingFile(path: string): Imported {
  if (!existsSync(path)) throw new Error(`${path}: there is no such file`);
  const bytes = readFileSync(path);
  try {
    return isPng(path) ? fromPng(bytes) : formatOf(path)!.read(bytes.toString('utf8'));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** Writes the whole file or nothing. Returns what a reader should know about it, if anything. */
export async function writeDrawingFile(path: string, canvas: Canvas, fontFile?: string): Promise<string[]> {
  if (!isPng(path)) {
    writeFileAtomic(path, formatOf(path)!.write(canvas));
    return [];
  }
  const { bytes, missing } = await toPng(canvas, fontFile === undefined ? {} : { fontFiles: [fontFile] });
  writeFileAtomic(path, bytes);
  return missing.length === 0 ? [] : [`no font has ${missing.join(' ')}; give one that does with --font`];
}
