import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  readCompletions,
  stepsWithCompletions,
  truncateCompletions,
  writeCompletions,
} from 'posttrain/recipes/diagram/completions-log.node';
import type { GRPOCompletion, GRPOStep } from 'posttrain/trainers';

const completion: GRPOCompletion = {
  taskId: 'train/1',
  prompt: 'a',
  completion: 'b\nb',
  reward: null,
  rewards: { success: 0 },
  advantage: -1,
  stopReason: 'max_tokens',
  segments: [
    { role: 'prompt', text: '<|user|>a' },
    { role: 'masked', text: 'b\nb' },
  ],
};

describe('the completions of a run', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'posttrain-completions-'));
    for (const step of [20, 10])
      writeCompletions(dir, { step, completions: [completion, completion] } as unknown as GRPOStep);
    writeFileSync(join(dir, 'notes.txt'), '');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('come back as they were written', () => {
    expect(stepsWithCompletions(dir)).toEqual([10, 20]);
    expect(stepsWithCompletions(join(dir, 'none'))).toEqual([]);
    expect(readCompletions(dir, 10)).toEqual([
      { step: 10, ...completion },
      { step: 10, ...completion },
    ]);
  });

  it('are forgotten after a checkpoint, and nothing else in their folder', () => {
    truncateCompletions(dir, 10);
    expect(stepsWithCompletions(dir)).toEqual([10]);
    expect(existsSync(join(dir, 'notes.txt'))).toBe(true);
  });

  it('say which file is damaged', () => {
    writeFileSync(join(dir, 'completions_00010.jsonl'), '{"step"');
    expect(() => readCompletions(dir, 10)).toThrow(/completions_00010\.jsonl is damaged/);
  });
});
