import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendMetrics, readMetrics, truncateMetrics } from 'posttrain/recipes/diagram/metrics-log.node';

describe('metrics.jsonl', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'posttrain-metrics-'));
    path = join(dir, 'metrics.jsonl');
    for (const stage of ['sft', 'grpo'] as const) {
      for (const step of [1, 2, 3]) appendMetrics(path, { stage, step, metrics: { loss: step / 10 } });
    }
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('gives back what was written', () => {
    expect(readMetrics(path)).toHaveLength(6);
    expect(readMetrics(path)[1]).toEqual({ stage: 'sft', step: 2, metrics: { loss: 0.2 } });
    expect(readMetrics(join(dir, 'none'))).toEqual([]);
  });

  it('forgets what came after a checkpoint, and a line torn by a kill', () => {
    appendFileSync(path, '{"stage":"grpo","st');
    truncateMetrics(path, 'grpo', 1);
    expect(readMetrics(path).map(({ stage, step }) => `${stage} ${step}`)).toEqual([
      'sft 1',
      'sft 2',
      'sft 3',
      'grpo 1',
    ]);
    truncateMetrics(path, 'sft', 0);
    expect(readMetrics(path)).toEqual([]);
  });

  it('names the line that is damaged', () => {
    writeFileSync(path, '{"stage":"sft","step":1}\nnonsense\n');
    expect(() => readMetrics(path)).toThrow(/metrics.jsonl, line 2, is damaged/);
  });
});
