import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JudgeRecord } from './judge.js';

/** Appends judgements to a JSON Lines file, each at once. */
export function judgeLog(path: string): (record: JudgeRecord) => void {
  mkdirSync(dirname(path), { recursive: true });
  return (record) => appendFileSync(path, `${JSON.stringify(record)}\n`);
}
