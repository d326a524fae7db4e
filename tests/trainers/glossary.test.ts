/** Every number a trainer reports is explained, and nothing is explained that none reports. */
import { beforeAll, describe, expect, it } from 'vitest';
import { initBackend } from 'posttrain/tensor';
import { explainMetric, grpo, type GRPOConfig, metricGlossary, sft } from 'posttrain/trainers';
import { finiteMetrics } from 'posttrain/trainers/metrics';
import { letterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { collect, withEngine } from './runs.js';

const tasks = ['a', 'b'].map((letter) => letterTask(letter, letter));
const env = letterWorld(shareOfA);
const quick: Partial<GRPOConfig> = {
  maxSteps: 1,
  promptsPerStep: 2,
  numGenerations: 2,
  maxCompletionLength: 6,
  maxClippedRatio: 1,
};
/** Settings that between them report everything. */
const runs: readonly Partial<GRPOConfig>[] = [
  { beta: 0.1, filterZeroStdGroups: 'resample', maxResampleRounds: 2 },
  { lossType: 'cispo', epsilonHigh: 5 },
];

describe('the glossary of metrics', () => {
  let reported: Set<string>;

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    const fromGRPO = runs.map((config) =>
      withEngine((engine) =>
        collect(grpo({ engine, tokenizer: letterTokenizer, env, tasks, config: { ...quick, ...config } })),
      ),
    );
    const rows = [{ tokens: letterTokenizer.encode('abc') }];
    const fromSFT = withEngine((engine) =>
      collect(sft({ engine, rows, config: { maxSteps: 1, batchSize: 1 } })),
    );
    const steps = [...(await Promise.all(fromGRPO)).flat(), ...(await fromSFT)];
    reported = new Set([
      ...steps.flatMap(({ metrics }) => Object.keys(metrics)),
      ...Object.keys(finiteMetrics({ loss: NaN })),
    ]);
  });

  it('explains every number of sft and grpo', () => {
    expect([...reported].filter((key) => explainMetric(key) === undefined)).toEqual([]);
  });

  it('explains nothing that no trainer reports', () => {
    const explained = new Set([...reported].map(explainMetric));
    // replies that end by themselves are rare with random weights
    const rare = (key: string): boolean => key.includes('terminated');
    expect(metricGlossary.filter((entry) => !explained.has(entry) && !rare(entry.key))).toEqual([]);
  });

  it('finds names inside a key, with slashes, and takes the exact key first', () => {
    expect(explainMetric('rewards/f1/edges/mean')?.key).toBe('rewards/<name>/mean');
    expect(explainMetric('rewards//mean')).toBeUndefined();
    expect(explainMetric('rewards/mean')).toBeUndefined();
    expect(explainMetric('reward')?.key).toBe('reward');
  });
});
