import { describe, expect, it } from 'vitest';
import { recordRun, summarize, type ExperimentResults } from 'posttrain/recipes/diagram/experiment';
import { drawFigures, experimentNames, experiments } from 'posttrain/recipes/diagram/experiments';
import { overSeeds } from 'posttrain/eval/over-seeds';
import { recipeFor } from 'posttrain/recipes/diagram/recipe';
import { madeUpRun } from './made-up-run.js';

describe('overSeeds', () => {
  it('gives the mean with the interval that three seeds deserve', () => {
    // s = 0.1, half-width 4.303 · 0.1 / √3 = 0.24843
    expect(overSeeds([0.4, 0.5, 0.6])).toEqual({
      seeds: 3,
      mean: 0.5,
      low: expect.closeTo(0.25157, 4),
      high: expect.closeTo(0.74843, 4),
      min: 0.4,
      max: 0.6,
    });
  });

  it('has no interval for one seed and nothing at all for none', () => {
    expect(overSeeds([0.4])).toEqual({ seeds: 1, mean: 0.4, min: 0.4, max: 0.4 });
    expect(() => overSeeds([])).toThrow(/at least one value/);
  });
});

describe('what an experiment records', () => {
  const { config, stages, metrics, evaluation } = madeUpRun();
  const run = recordRun(config, stages, metrics, evaluation);
  const recorded = { default: [run, { ...run, seed: 8 }], naive: [run] };
  const results: ExperimentResults = {
    hypothesis: 'it learns',
    recipe: config.recipe,
    versions: config.versions,
    arms: recorded,
    summary: summarize(recorded),
  };

  it('keeps numbers with their intervals, and no single tasks', () => {
    expect(run).toMatchObject({ seed: 7, seconds: expect.closeTo(513.3), peakMemory: 9e8 });
    expect(run.results.sft?.[0]?.success).toMatchObject({ value: 0.36, successes: 72, trials: 200 });
    expect(run.gain?.success.difference).toBeCloseTo(0.16);
    expect(run.curve).toHaveLength(80);
    expect(JSON.stringify(results)).not.toContain('perTask');
  });

  it('sums up the headline split of every arm over seeds', () => {
    const rows = results.summary.map(
      ({ arm, policy, success }) => `${arm} ${policy} ${success.mean} ${success.seeds}`,
    );
    expect(rows).toEqual([
      'default base 0 2',
      'default sft 0.36 2',
      'default grpo 0.52 2',
      'naive base 0 1',
      'naive sft 0.36 1',
      'naive grpo 0.52 1',
    ]);
  });

  it('draws a figure for what was run', () => {
    const drawn = drawFigures('diagram', results);
    expect(Object.keys(drawn)).toEqual(['learning.svg', 'hacking.svg', 'sft-first.svg']);
    expect(drawn['hacking.svg']).toContain('>naive reward<');
    expect(Object.keys(drawFigures('diagram', { ...results, arms: {} }))).toEqual([]);
  });
});

describe('the experiments', () => {
  it.each(experimentNames)('%s varies one thing an arm, and draws only arms it has', (name) => {
    const { arms, figures } = experiments[name];
    expect(Object.keys(arms)[0]).toBe('default');
    for (const change of Object.values(arms)) expect(Object.keys(change).length).toBeLessThanOrEqual(1);
    for (const { lines } of Object.values(figures))
      for (const [, arm] of lines) expect(Object.keys(arms)).toContain(arm);
  });
});

describe('recipeFor', () => {
  it('changes single settings of GRPO', () => {
    const { grpo, ...others } = recipeFor({ grpo: { learningRate: 0.5 } });
    const { grpo: usual, ...usualOthers } = recipeFor({});
    expect(grpo).toEqual({ ...usual, learningRate: 0.5 });
    expect(others).toEqual(usualOthers);
  });

  it('changes what it is told to and nothing else', () => {
    expect(recipeFor({})).toEqual(recipeFor({ reward: 'gated' }));
    expect(recipeFor({ reward: 'naive' })).toEqual({ ...recipeFor({}), reward: 'naive' });
  });

  it('lets a base model be seen failing', () => {
    expect(recipeFor({ grpoFrom: 'base' }).grpo.maxClippedRatio).toBe(1);
  });
});
