import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from 'posttrain/engine';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  kto,
  type KTOConfig,
  type KTOOptions,
  type KTOState,
  type KTOStep,
  type UnpairedPreferenceRow,
} from 'posttrain/trainers';
import { mismatch } from 'posttrain/trainers/kto';
import { letterTokenizer } from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';

const row = (request: string, reply: string, label: boolean): UnpairedPreferenceRow => ({
  prompt: renderPrompt(letterTokenizer, [{ role: 'user', content: request }]),
  completion: renderCompletion(letterTokenizer, reply),
  label,
});
const rows = [
  row('a', 'aa', true),
  row('b', 'cd', false),
  row('c', 'a', true),
  row('d', 'ef', false),
  row('e', 'aaa', true),
];
const small: Partial<KTOConfig> = { batchSize: 3, maxSteps: 5, learningRate: 0.01, seed: 9 };

const run = (options: KTOOptions): Promise<KTOStep[]> => collect(kto(options));

describe.each(['cpu', 'wasm'] as const)('kto on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('starts at half of the weights, and reports by the names of TRL', () =>
    withEngine(async (engine) => {
      const config = { ...small, batchSize: 5, maxSteps: 1, desirableWeight: 2 };
      const [step] = await run({ engine, rows, config });
      const { metrics } = step as KTOStep;
      expect(metrics['loss']).toBeCloseTo((3 * 2 * 0.5 + 2 * 0.5) / 5, 5);
      expect(metrics['kl']).toBeCloseTo(0, 5);
      expect(metrics['grad_norm']).toBeGreaterThan(1e-3);
      const sides = ['chosen', 'rejected'].flatMap((side) => [`rewards/${side}`, `logps/${side}`]);
      const names = ['loss', 'kl', 'rewards/margins', ...sides, 'entropy'];
      const common = ['grad_norm', 'learning_rate', 'num_tokens', 'epoch', 'step_skipped', 'truncated_rows'];
      expect(Object.keys(metrics).sort()).toEqual([...names, ...common].sort());
    }));

  it('goes on bit-identically after it was stopped', async () => {
    const straight = await straightRun((engine) => kto({ engine, rows, config: small }));
    const interrupted = await interruptedRun<KTOState>(
      (engine, signal) => kto({ engine, rows, config: small, signal }),
      async (engine, state) => {
        await expect(run({ engine, rows, config: small, state })).rejects.toThrow(/needs `reference`/);
        const reference = await withEngine((first) => first.reference());
        const steps = await run({ engine, rows, config: small, state, reference });
        reference.dispose();
        return steps;
      },
    );
    expect(interrupted).toEqual(straight);
  });

  it('keeps the number of tensors constant, and disposes its reference', () =>
    withEngine(async (engine) => {
      const before = tf.memory().numTensors;
      const counts = await liveTensors(kto({ engine, rows, config: { ...small, maxSteps: 3 } }));
      expect(counts).toHaveLength(3);
      expect(new Set(counts).size).toBe(1);
      engine.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }));
});

it('learns from labels without pairs, of which there may be few good ones', async () => {
  await initBackend({ backend: 'wasm' });
  await withEngine(async (engine) => {
    const unbalanced = [
      row('a', 'aa', true),
      ...['bc', 'c', 'de', 'fg', 'ed'].map((reply) => row('a', reply, false)),
    ];
    const config = { batchSize: 6, maxSteps: 40, learningRate: 0.01, desirableWeight: 5 };
    const steps = await run({ engine, rows: unbalanced, config });
    const last = steps.at(-1)?.metrics;
    expect(last?.['rewards/chosen']).toBeGreaterThan(0.1);
    expect(last?.['rewards/margins']).toBeGreaterThan(0.5);
    expect(last?.['loss']).toBeLessThan((steps[0]?.metrics['loss'] as number) * 0.9);
  });
});

it('leaves out what a batch has none of', async () => {
  await initBackend({ backend: 'cpu' });
  await withEngine(async (engine) => {
    const good = rows.filter(({ label }) => label);
    const [step] = await run({ engine, rows: good, config: { batchSize: 2, maxSteps: 1 } });
    expect(step?.metrics).toHaveProperty('rewards/chosen');
    expect(step?.metrics).not.toHaveProperty('rewards/rejected');
    expect(step?.metrics).not.toHaveProperty('rewards/margins');
  });
});

describe('mismatched pairs (G4)', () => {
  it('are each prompt with the reply of the next row, also when their number is odd', () => {
    const [a, b, c] = rows;
    const pairs = mismatch([a, b, c] as UnpairedPreferenceRow[]);
    expect(pairs.map(({ prompt }) => prompt)).toEqual([a?.prompt, b?.prompt, c?.prompt]);
    expect(pairs.map(({ completion }) => completion)).toEqual([b?.completion, c?.completion, a?.completion]);
  });

  it('need two rows', async () => {
    const engine = {} as Engine;
    await expect(run({ engine, rows, config: { batchSize: 1 } })).rejects.toThrow(
      /batchSize is 1, but KTO .* at least 2/,
    );
    await expect(run({ engine, rows: rows.slice(0, 1) })).rejects.toThrow(/KTO has 1 rows; it needs two/);
  });
});
