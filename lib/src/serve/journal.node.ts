/**
 * What clients have been told, on disk: one line for each reset, step and close. Worlds have no clock and no dice, so the replies alone
 * bring every episode back after the server was killed. Each line is the operating system's before its client gets an answer: the
 * death of the process loses nothing that was acknowledged (that of the whole machine may lose the last moments).
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Entry, Journal } from './episodes.js';

/** A journal this long is begun anew, with only what is still alive. */
const LONG_BYTES = 8 * 2 ** 20;

/**
 * The entries of the file, oldest first; none where there is no file. A last line that was cut off was never answered and is left out.
 * @throws Error for a file of another world, in which the same replies would mean something else, and for one that is no journal.
 */
export function readJournal(file: string, world: string): Entry[] {
  const [header, ...lines] = textOf(file).split('\n').slice(0, -1);
  if (header === undefined) return [];
  const elsewhere = `name another --journal, or delete ${file}`;
  const found = parse<{ world?: unknown }>(header, `${file}: this is no journal; ${elsewhere}`).world;
  if (found !== world)
    throw new Error(`${file} has episodes of "${String(found)}", not of "${world}"; ${elsewhere}`);
  return lines.map((line, n) => parse<Entry>(line, `${file}:${n + 2} is damaged; ${elsewhere}`));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function parse<T>(line: string, problem: string): T {
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new Error(problem);
  }
}

/**
 * Begins the file anew with what is alive, and takes more.
 * @param alive asked now, and each time that the file has grown long.
 */
export function openJournal(file: string, world: string, alive: () => Iterable<Entry>): Journal {
  mkdirSync(dirname(file), { recursive: true });
  let descriptor: number | undefined;
  let bytes = 0;
  let longest = 0;

  function append(text: string): void {
    bytes += writeSync(descriptor!, text);
  }

  function begin(): void {
    const old = descriptor;
    descriptor = openSync(`${file}.partial`, 'w');
    bytes = 0;
    append([{ world }, ...alive()].map(lineOf).join(''));
    renameSync(`${file}.partial`, file);
    if (old !== undefined) closeSync(old);
    longest = Math.max(LONG_BYTES, 2 * bytes);
  }

  begin();
  return {
    write(entry) {
      append(lineOf(entry));
      if (bytes > longest) begin();
    },
    close: () => closeSync(descriptor!),
  };
}

const lineOf = (entry: object): string => `${JSON.stringify(entry)}\n`;
