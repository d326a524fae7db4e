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

  function begin(): void {
    const partial = openSync(`${file}.partial`, 'w');
    try {
      bytes = writeWhole(partial, [{ world }, ...alive()].map(lineOf).join(''), 0);
      renameSync(`${file}.partial`, file);
    } catch (error) {
      closeSync(partial);
      throw error;
    }
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = partial;
    longest = Math.max(LONG_BYTES, 2 * bytes);
  }

  /** A full disk may not let it; the entry is kept all the same, so nobody is told of it. */
  function shorten(): void {
    try {
      begin();
    } catch {
      longest *= 2;
    }
  }

  begin();
  return {
    write(entry) {
      bytes += writeWhole(descriptor!, lineOf(entry), bytes);
      if (bytes > longest) shorten();
    },
    close: () => closeSync(descriptor!),
  };
}

/**
 * Writes all of the text at this place of the file. What a full disk took of it is written over by the next text, or cut off when the
 * journal is read: it was never answered.
 * @returns its bytes
 */
function writeWhole(descriptor: number, text: string, at: number): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;)
    done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
  return bytes.length;
}

const lineOf = (entry: object): string => `${JSON.stringify(entry)}\n`;
