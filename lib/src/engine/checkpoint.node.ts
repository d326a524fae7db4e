import { readFileSync } from 'node:fs';
import { writeFileAtomic } from '../files.node.js';
import { decodeCheckpoint, encodeCheckpoint, type RunCheckpoint } from './checkpoint.js';
import { messageOf } from '../message-of.js';

/** Writes a checkpoint; a process killed meanwhile leaves the previous file as it was. */
export function writeCheckpoint<S>(path: string, checkpoint: RunCheckpoint<S>): void {
  writeFileAtomic(path, encodeCheckpoint(checkpoint));
}

/** Reads what `writeCheckpoint` wrote. Throws, naming the file, when it is missing, damaged or something else. */
export function readCheckpoint<S>(path: string): RunCheckpoint<S> {
  try {
    return decodeCheckpoint<S>(readFileSync(path));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`Cannot resume from ${path}: ${reason} Use an earlier checkpoint, or start anew.`, {
      cause,
    });
  }
}
