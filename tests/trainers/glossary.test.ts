/** Every number a trainer reports is explained, and nothing is explained that none reports. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from 'posttrain/engine';
import { treasureProcess } from 'posttrain/envs';
import { qLearning } from 'posttrain/tabular';
import { initBackend } from 'posttrain/tensor';
import {
  distill,
  dpo,
  explainMetric,
  gkd,
  grpo,
  kto,
  metricGlossary,
  type Metrics,
  ppo,
  reward,
  rft,
  type SamplingConfig,
  sft,
} from 'posttrain/trainers';
import { finiteMetrics } from 'posttrain/trainers/metrics';
import { letterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { collect, withEngine, withScalarEngine } from './runs.js';

const tasks = ['a', 'b'].map((letter) => letterTask(letter, letter));
const world = { tokenizer: letterTokenizer, env: letterWorld(shareOfA), tasks };
/** A world with a rule that is never broken. */
const ruled: typeof world.env = {
  name: 'ruled',
  start: (task) => {
    const episode = world.env.start(task);
    return { ...episode, step: (reply) => ({ ...episode.step(reply), violations: 0 }) };
  },
};
const quick: Partial<SamplingConfig> = {
  maxSteps: 1,
  promptsPerStep: 2,
  numGenerations: 2,
  maxCompletionLength: 6,
};
const rows = { maxSteps: 1, batchSize: 2 };
const [prompt, good, bad] = ['a', 'bc', 'cb'].map((text) => letterTokenizer.encode(text)) as [
  Int32Array,
  Int32Array,
  Int32Array,
];
const pair = [{ prompt, chosen: good, rejected: bad }];
const resampled = { filterZeroStdGroups: 'resample', maxResampleRounds: 2, maxClippedRatio: 1 } as const;

/** Runs that between them report everything. */
const runs: readonly ((engine: Engine) => AsyncIterable<{ readonly metrics: Metrics }>)[] = [
  (engine) => sft({ engine, rows: [{ tokens: good }], config: { ...rows, batchSize: 1 } }),
  (engine) =>
    grpo({
      engine,
      ...world,
      config: { ...quick, ...resampled, beta: 0.1, vllmImportanceSamplingCorrection: true },
    }),
  (engine) =>
    grpo({ engine, ...world, config: { ...quick, maxClippedRatio: 1, lossType: 'cispo', epsilonHigh: 5 } }),
  (engine) => dpo({ engine, rows: pair, config: { ...rows, batchSize: 1 } }),
  (engine) =>
    kto({ engine, rows: [true, false].map((label) => ({ prompt, completion: good, label })), config: rows }),
  (engine) => grpo({ engine, ...world, env: ruled, config: { ...quick, maxClippedRatio: 1 } }),
  (engine) => rft({ engine, ...world, config: { ...quick, rewardThreshold: 0 } }),
  (engine) => distill({ engine, ...world, teacher: engine, config: quick }),
  () => qLearning({ process: treasureProcess(), config: { numEpisodes: 1 } }),
  (engine) =>
    gkd({ engine, ...world, teacher: engine, rows: [{ tokens: good }], config: { ...quick, lmbda: 0 } }),
  (engine) => gkd({ engine, ...world, teacher: engine, config: { ...quick, lmbda: 1 } }),
];

describe('the glossary of metrics', () => {
  const reported = new Set(Object.keys(finiteMetrics({ loss: NaN })));

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    for (const start of runs)
      for (const { metrics } of await withEngine((engine) => collect(start(engine))))
        for (const key of Object.keys(metrics)) reported.add(key);
    await withScalarEngine((critic) =>
      withEngine(async (engine) => {
        const judged = reward({ engine: critic, rows: pair, config: { ...rows, batchSize: 1 } });
        const played = ppo({ engine, critic, ...world, config: quick });
        for (const { metrics } of [...(await collect(judged)), ...(await collect(played))])
          for (const key of Object.keys(metrics)) reported.add(key);
      }),
    );
  });

  it('explains every number that a trainer reports', () => {
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
