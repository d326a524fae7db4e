import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Task } from '../envs/types.js';
import { writeFileAtomic } from '../files.node.js';
import { collect, type CollectOptions } from './collect.js';
import { parseRecords, serializeRecord, type TrajectoryRecord } from './records.js';

/** Reads a finished trajectory file. Throws, with the line number, on a corrupt or unfinished line. */
export function readTrajectories(path: string): TrajectoryRecord[] {
  const { records, torn } = parseRecords(readFileSync(path, 'utf8'), path);
  if (torn === '') return records;
  throw new Error(
    `${path}, line ${records.length + 1}: unfinished line; resume the collection to complete the file`,
  );
}

/** What an unfinished collection has written so far; nothing when there is no file yet. Throws, with the line number, on a corrupt line. */
export function readCollected(path: string): TrajectoryRecord[] {
  return existsSync(path) ? parseRecords(readFileSync(path, 'utf8'), path).records : [];
}

/**
 * Collects into a JSON Lines file and returns all its records.
 *
 * If the file exists the collection goes on where it stopped: answers in it are skipped, and a line torn by a kill is dropped.
 * A kill at any moment therefore loses at most the answer being written. Throws what `collect` throws, and on corrupt lines.
 */
export async function collectToFile<T extends Task>(
  path: string,
  options: Omit<CollectOptions<T>, 'done'>,
): Promise<TrajectoryRecord[]> {
  mkdirSync(dirname(path), { recursive: true });
  const { records, torn } = existsSync(path)
    ? parseRecords(readFileSync(path, 'utf8'), path)
    : { records: [], torn: '' };
  if (torn !== '') writeFileAtomic(path, records.map(serializeRecord).join(''));
  const file = openSync(path, 'a');
  try {
    for await (const record of collect({ ...options, done: records.slice() })) {
      appendFileSync(file, serializeRecord(record));
      records.push(record);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return records;
}
