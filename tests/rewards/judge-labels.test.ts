import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { realTasks } from 'posttrain/envs/diagram/tasks/index';
import { parseJudgeLabels } from 'posttrain/eval/judge-agreement';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import { judged } from './cases.js';
import { judgeLabelLines } from './judge-labels.js';

const file = 'data/judge/labels.jsonl';
const labels = parseJudgeLabels(readFileSync(file, 'utf8'));

describe('the labels for judges', () => {
  it('are what their script makes (write judgeLabelLines() to the file after a change)', () => {
    expect(readFileSync(file, 'utf8')).toBe(judgeLabelLines());
  });

  it('are half acceptable, half faulty, with several of every kind', () => {
    expect(labels).toHaveLength(80);
    expect(labels.filter(({ acceptable }) => acceptable)).toHaveLength(40);
    const counts = new Map<string, number>();
    for (const { change } of labels) counts.set(change, (counts.get(change) ?? 0) + 1);
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(3);
    expect(new Set(labels.map(({ id }) => id)).size).toBe(80);
  });

  it('say what both the reward and the verifier say', () => {
    for (const { id, completion, acceptable } of labels) {
      const index = Number(/-(\d+) /.exec(id)![1]);
      const task = generateTask({ seed: 41_907, split: 'id', index, profile: 'curriculum' });
      const { score, verdict } = judged(task, completion);
      expect([id, score.success, verdict.success]).toEqual([id, acceptable, acceptable]);
    }
  });

  it('hold none of the prompts that people wrote', () => {
    const texts = labels.map(({ prompt }) => prompt).join('\n');
    for (const { requests } of realTasks()) expect(texts).not.toContain(requests[0]!);
  });
});
