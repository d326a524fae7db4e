import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as fs from 'node:fs';

/** Bytes that the disk still takes. */
const disk = vi.hoisted(() => ({ room: Infinity }));

vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof fs>();
  const writeSync = (file: number, bytes: Buffer, from: number, length: number, at: number): number => {
    if (disk.room === 0)
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const taken = real.writeSync(file, bytes, from, Math.min(length, disk.room), at);
    disk.room -= taken;
    return taken;
  };
  return { ...real, writeSync };
});

const { openJournal, readJournal } = await import('../../lib/src/serve/journal.node.js');

afterEach(() => void (disk.room = Infinity));

describe('a journal on a full disk', () => {
  it('refuses the entry that did not fit, and goes on behind those before it once there is room', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'posttrain-disk-')), 'journal.jsonl');
    const journal = openJournal(file, 'world', () => []);
    journal.write({ reset: 'a', task_id: 't' });
    disk.room = 12;
    expect(() => journal.write({ step: 'a', text: 'a reply that does not fit' })).toThrow('ENOSPC');
    expect(readJournal(file, 'world')).toEqual([{ reset: 'a', task_id: 't' }]);
    disk.room = Infinity;
    journal.write({ close: 'a' });
    expect(readJournal(file, 'world')).toEqual([{ reset: 'a', task_id: 't' }, { close: 'a' }]);
    journal.write({ reset: 'b', task_id: 'a task with a much longer name' });
    journal.close();
    expect(readJournal(file, 'world')).toHaveLength(3);
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true);
  });

  it('takes what the operating system writes in pieces', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'posttrain-disk-')), 'journal.jsonl');
    const journal = openJournal(file, 'world', () => []);
    const entries = Array.from({ length: 50 }, (_, n) => ({ step: `${n}`, text: '中文 '.repeat(n) }));
    for (const entry of entries) journal.write(entry);
    journal.close();
    expect(readJournal(file, 'world')).toEqual(entries);
  });
});
