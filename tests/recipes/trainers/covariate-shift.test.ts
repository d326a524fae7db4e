import { describe, expect, it } from 'vitest';
import { covariateShift } from 'posttrain/recipes/trainers/covariate-shift';
import {
  errorOnPath,
  expertPolicy,
  forest,
  learnThePath,
  lessons,
  walkerPolicy,
} from 'posttrain/recipes/trainers/forest-path';
import { expectedReturns, playEpisode, sampled } from 'posttrain/tabular';
import { randomStream } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('covariate-shift', () => {
  it('recorded: what was expected', () => {
    const record = recordOf(covariateShift);
    expect(refuted(record)).toEqual([]);
    // the chart’s last point is the table’s cost
    for (const name of ['SFT', 'DAgger', 'OPD'])
      expect(record.curves['cost']?.[name]?.at(-1)?.y).toBe(meanOf(record, name, 'long'));
  });

  it('shows the same directions with half the labels, and what the remarks say of DAgger', async () => {
    const results = await quickRun(covariateShift, covariateShift.seeds);
    expect(meanOf(results, 'SFT', 'exponent')).toBeGreaterThan(1.5);
    expect(meanOf(results, 'DAgger', 'exponent')).toBeCloseTo(1.12, 2);
    expect(meanOf(results, 'SFT', 'long')).toBeGreaterThan(3 * meanOf(results, 'DAgger', 'long'));
  });
});

describe('the forest', () => {
  const woods = forest(1, 32);

  it('costs the expert nothing, a walker at random almost every move, and is another for another seed', () => {
    expect(expectedReturns(woods.process, expertPolicy(woods), 32).at(-1)).toBeCloseTo(0, 12);
    const lost = expectedReturns(woods.process, walkerPolicy(woods, new Map()), 32).at(-1) as number;
    expect(lost).toBeLessThan(-20);
    const moves = (seed: number): string[] =>
      Array.from({ length: 12 }, (_, place) => forest(seed, 32).expert({ place, away: 0 }));
    expect(moves(1)).not.toEqual(moves(2));
  });

  it('expects what walks come to in the mean', () => {
    const walker = learnThePath(woods, lessons.SFT, 20, 1);
    const policy = walkerPolicy(woods, walker);
    const choose = sampled(woods.process, policy);
    const walks = Array.from(
      { length: 4000 },
      (_, walk) => playEpisode(woods.process, choose, randomStream(3, 'walks', walk)).return,
    );
    const mean = walks.reduce((sum, value) => sum + value, 0) / walks.length;
    const deviation = Math.sqrt(walks.reduce((sum, value) => sum + (value - mean) ** 2, 0) / walks.length);
    const expected = expectedReturns(woods.process, policy, 32).at(-1) as number;
    expect(Math.abs(mean - expected)).toBeLessThan((3 * deviation) / Math.sqrt(walks.length));
    expect(expected).toBeLessThan(-1);
  });

  it('teaches an imitator nothing off the path, and who walks alone the way back', () => {
    const [cloned, own] = [
      learnThePath(woods, lessons.SFT, 40, 1),
      learnThePath(woods, lessons.DAgger, 40, 1),
    ];
    expect([...cloned.keys()].every((seen) => seen.endsWith(', 0 away'))).toBe(true);
    expect([...own.keys()].some((seen) => seen.endsWith(', 2 away'))).toBe(true);
    expect(errorOnPath(woods, cloned)).toBeLessThan(0.03);
    expect(errorOnPath(woods, new Map())).toBeCloseTo(2 / 3, 10);
  });
});
