import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from '../files.node.js';

/** A batch that was handed in: what it is called there, and which requests it holds. */
export interface BatchNote {
  /** `batches/…` */
  readonly name: string;
  /** Ids of its requests that have not failed. */
  readonly requests: readonly string[];
}

/** Where batches are noted, so that one that was paid for is fetched and not handed in again. */
export interface BatchLedger {
  read(): readonly BatchNote[];
  write(notes: readonly BatchNote[]): void;
}

const notesSchema = z.array(z.strictObject({ name: z.string(), requests: z.array(z.string()) }));

/** A ledger in a JSON file, written whole or not at all. `read` throws when the file is damaged. */
export function fileLedger(path: string): BatchLedger {
  return {
    read() {
      if (!existsSync(path)) return [];
      try {
        return notesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        throw new Error(
          `${path} is damaged; it names batches that are paid for. Restore it, or remove it and hand them in again`,
        );
      }
    },
    write: (notes) => writeFileAtomic(path, `${JSON.stringify(notes, null, 1)}\n`),
  };
}
