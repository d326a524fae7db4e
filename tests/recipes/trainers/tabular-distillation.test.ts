import { describe, expect, it } from 'vitest';
import { tabularDistillation } from 'posttrain/recipes/trainers/tabular-distillation';
import { makeExpert, hunt } from 'posttrain/recipes/trainers/hunt-students';
import { softmaxPolicy, successProbability } from 'posttrain/tabular';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('tabular distillation', () => {
  it('recorded: what was expected, except that GRPO at higher rates needs less', () => {
    expect(refuted(recordOf(tabularDistillation))).toEqual(
      [2, 4].map((rate) => `GRPO, rate ${rate} needs 2,000 episodes or more, every seed`),
    );
  });

  it('recorded: the rate that learns fastest from wins knows least beside its way', () => {
    const record = recordOf(tabularDistillation);
    const [slow, fast] = ['GRPO, rate 1', 'GRPO, rate 4'] as const;
    expect(meanOf(record, fast, 'needed')).toBeLessThan(meanOf(record, slow, 'needed'));
    expect(meanOf(record, fast, 'kicked')).toBeLessThan(meanOf(record, slow, 'kicked'));
  });

  it('shows the same directions in its short form', async () => {
    const results = await quickRun(tabularDistillation, [1, 2]);
    expect(meanOf(results, 'OPD, 80 own episodes', 'start')).toBeGreaterThan(0.95);
    expect(meanOf(results, 'OPD, 80 own episodes', 'kicked')).toBeGreaterThan(
      meanOf(results, 'SFT on 32 expert games', 'kicked'),
    );
    expect(meanOf(results, 'OPD, 80 own episodes', 'needed')).toBeLessThan(
      meanOf(results, 'GRPO, rate 1', 'needed') / 10,
    );
    expect(meanOf(results, 'GRPO, rate 1', 'dead')).toBeGreaterThan(0.8);
  });

  it('has an expert that wins almost always, and students that begin with next to nothing', () => {
    const probability = successProbability(hunt);
    expect(probability([{ policy: makeExpert().policy, moves: 40 }])).toBeGreaterThan(0.999);
    expect(probability([{ policy: softmaxPolicy(hunt, new Map()), moves: 40 }])).toBeCloseTo(0.001, 3);
  });
});
