import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Column, Experiment, ExperimentRecord } from 'posttrain/recipes/trainers/experiment';
import {
  joinRepetitions,
  measurementsTable,
  shareColumn,
  summaryText,
  wholePercent,
} from 'posttrain/recipes/trainers/measurements';
import { runExperiment } from 'posttrain/recipes/trainers/run.node';

/** Counts to its seed. */
const counting: Experiment<{ readonly parts: number }> = {
  name: 'counting',
  description: 'counts',
  hypothesis: 'it comes to the seed',
  seeds: [1, 2, 3],
  settings: { full: { parts: 3 }, quick: { parts: 1 } },
  columns: { count: { header: 'count', format: (value) => value.toFixed(1) } },
  async *measure(seed, { parts }) {
    for (let done = 0; done < parts; done += 1) yield { done, total: parts, note: 'counting' };
    return { arms: { all: { count: seed } }, curves: { counts: { all: [{ x: 0, y: seed }] } } };
  },
  claims: ({ arms }) => [
    {
      claim: 'it is 2',
      holds: arms['all']?.['count']?.mean === 2,
      measured: `${arms['all']?.['count']?.mean}`,
    },
  ],
  remarks: [],
  figures: () => ({ 'counting.svg': '<svg/>' }),
};

const folder = (): string => join(mkdtempSync(join(tmpdir(), 'posttrain-')), 'results');
const run = (options: Partial<Parameters<typeof runExperiment>[1]>): ReturnType<typeof runExperiment> =>
  runExperiment(counting, {
    seeds: counting.seeds,
    quick: false,
    results: folder(),
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  });

describe('joinRepetitions', () => {
  const one = (count: number): Parameters<typeof joinRepetitions>[0][number] => ({
    arms: { all: { count } },
    curves: { counts: { all: [{ x: 5, y: count }] } },
  });

  it('keeps the values, their mean with its interval, and the range of curves', () => {
    const joined = joinRepetitions([one(1), one(2), one(3)]);
    expect(joined.arms['all']?.['count']).toMatchObject({
      seeds: 3,
      mean: 2,
      values: [1, 2, 3],
      min: 1,
      max: 3,
    });
    expect(joined.curves['counts']?.['all']).toEqual([{ x: 5, y: 2, low: 1, high: 3, values: [1, 2, 3] }]);
  });

  it('refuses numbers that are missing or not finite, naming them', () => {
    expect(() => joinRepetitions([one(1), one(Infinity)])).toThrow('all: count came to 1, Infinity');
    expect(() => joinRepetitions([one(1), { arms: {}, curves: {} }])).toThrow('all: count');
    expect(() => joinRepetitions([])).toThrow(/at least one seed/);
  });
});

describe('measurementsTable', () => {
  const tableOf = (column: Column, ...values: readonly number[]): string | undefined => {
    const joined = joinRepetitions(values.map((x) => ({ arms: { all: { x } }, curves: {} })));
    return measurementsTable({ ...counting, columns: { x: column } }, joined).rows[0]?.[1];
  };

  it('shows no share below nothing or above all', () => {
    expect(tableOf(shareColumn('x'), 0.1, 0.9)).toBe('50 % (0 %…100 %)');
    expect(tableOf({ header: 'x', format: wholePercent }, 0.1, 0.9)).toBe('50 % (-458 %…558 %)');
  });

  it('shows no negative nothing, and other small numbers as they are', () => {
    const degrees = (value: number): string => `${value.toFixed(0)}°`;
    const hundredths = (value: number): string => value.toFixed(2);
    expect(tableOf({ header: 'x', format: degrees }, -0.2)).toBe('0°');
    expect(tableOf({ header: 'x', format: hundredths }, -0.002)).toBe('0.00');
    expect(tableOf({ header: 'x', format: hundredths }, -0.05)).toBe('-0.05');
    expect(tableOf({ header: 'x', format: hundredths }, -0.3)).toBe('-0.30');
  });
});

describe('runExperiment', () => {
  it('tells how far it is over all seeds, and writes numbers, claims and figures', async () => {
    const results = folder();
    const told: string[] = [];
    await run({ results, onProgress: ({ done, total, note }) => told.push(`${done}/${total} ${note}`) });
    expect(told).toHaveLength(9);
    expect(told.at(-1)).toBe('8/9 seed 3, counting');
    expect(readdirSync(results).toSorted()).toEqual(['counting.json', 'counting.svg']);
    const record = JSON.parse(readFileSync(join(results, 'counting.json'), 'utf8')) as ExperimentRecord;
    expect(record).toMatchObject({
      hypothesis: counting.hypothesis,
      settings: { parts: 3 },
      seeds: [1, 2, 3],
      claims: [{ claim: 'it is 2', holds: true, measured: '2' }],
      versions: { node: process.version },
    });
    expect(summaryText(counting, record)).toContain('✓ it is 2: 2');
    expect(summaryText(counting, record)).toContain('2.0 (-0.5…4.5)');
    expect(summaryText(counting, record)).not.toContain('Quick');
    expect(summaryText(counting, record, true)).toContain('· it is 2: 2\n\nQuick: too short');
  });

  it('writes nothing when it is stopped, and lets the repetition clean up', async () => {
    const results = folder();
    const stop = new AbortController();
    let cleaned = false;
    const long: Experiment = {
      ...counting,
      async *measure() {
        try {
          for (let done = 0; done < 1e9; done += 1) yield { done, total: 1e9, note: 'counting' };
          return { arms: {}, curves: {} };
        } finally {
          cleaned = true;
        }
      },
    };
    const onProgress = ({ done }: { readonly done: number }): void => {
      if (done === 2) stop.abort();
    };
    const { signal } = stop;
    expect(
      await runExperiment(long, { seeds: [1], quick: true, results, signal, onProgress }),
    ).toBeUndefined();
    expect(cleaned).toBe(true);
    expect(existsSync(results)).toBe(false);
  });
});

describe('wholePercent', () => {
  it('has no negative nothing', () => {
    expect([0.459, -1e-7, 1].map(wholePercent)).toEqual(['46 %', '0 %', '100 %']);
  });
});
