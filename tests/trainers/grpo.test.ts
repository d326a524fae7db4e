import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine } from 'posttrain/engine';
import { addAdapter, disposeModel } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { grpo, type GRPOConfig, type GRPOOptions, type GRPOState, type GRPOStep } from 'posttrain/trainers';
import {
  bits,
  letterTask,
  type LetterTask,
  letterTokenizer,
  letterWorld,
  shareOfA,
  tinyModel,
} from '../engine/tiny.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine } from './runs.js';
import { testedBackends } from '../tensor/backends.js';

const small: Partial<GRPOConfig> = {
  promptsPerStep: 2,
  numGenerations: 4,
  maxCompletionLength: 8,
  maxSteps: 3,
  maxClippedRatio: 1,
};
const letters = {
  tokenizer: letterTokenizer,
  tasks: ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};

type Options = Pick<GRPOOptions<LetterTask>, 'engine'> & Partial<GRPOOptions<LetterTask>>;
const run = (options: Options): Promise<GRPOStep[]> => collect(grpo({ ...letters, ...options }));

describe.each(testedBackends)('grpo on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('starts with a loss near 0, a gradient, a sampler that agrees, and no kl', () =>
    withEngine(async (engine) => {
      const [step] = await run({
        engine,
        config: { ...small, maxSteps: 1, temperature: 0.7, lossType: 'grpo' },
      });
      const { metrics } = step as GRPOStep;
      expect(Math.abs(metrics['loss'] as number)).toBeLessThan(1e-6);
      expect(metrics['grad_norm']).toBeGreaterThan(1e-3);
      expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
      expect(metrics['clip_ratio/region_mean']).toBe(0);
      expect(metrics).not.toHaveProperty('kl');
      expect(step?.completions).toHaveLength(8);
      expect(new Set(step?.completions.slice(0, 4).map(({ completion }) => completion)).size).toBeGreaterThan(
        1,
      );
      expect(Object.values(metrics).every(Number.isFinite)).toBe(true);
    }));

  it('reports by the names of TRL', () =>
    withEngine(async (engine) => {
      const [step] = await run({ engine, config: { ...small, maxSteps: 1, beta: 0.1 } });
      const lengths = ['mean', 'min', 'max'].map((name) => `completions/${name}_length`);
      const clips = ['low_mean', 'low_min', 'high_mean', 'high_max', 'region_mean'].map(
        (name) => `clip_ratio/${name}`,
      );
      const names = [
        ...['reward', 'reward_std', 'frac_reward_zero_std', 'rewards/success/mean', 'rewards/success/std'],
        ...[
          'loss',
          'grad_norm',
          'learning_rate',
          'entropy',
          'kl',
          'num_tokens',
          'epoch',
          'completions/clipped_ratio',
        ],
        ...['sampling/sampling_logp_difference/mean', 'sampling/sampling_logp_difference/max'],
        ...lengths,
        ...clips,
      ];
      expect(Object.keys(step?.metrics ?? {})).toEqual(expect.arrayContaining(names));
      expect(step?.metrics).not.toHaveProperty('step_time');
      expect(step?.timing.step_time).toBeGreaterThan(0);
    }));

  it('goes on bit-identically after it was stopped, with a reference and two iterations', async () => {
    const config = { ...small, maxSteps: 4, beta: 0.1, numIterations: 2, learningRate: 0.01 };
    const straight = await straightRun((engine) => grpo({ ...letters, engine, config }));
    expect(straight.metrics[0]?.['kl']).toBeCloseTo(0, 6);
    expect(straight.metrics[3]?.['kl']).toBeGreaterThan(1e-6);
    const interrupted = await interruptedRun<GRPOState>(
      (engine, signal) => grpo({ ...letters, engine, config, signal }),
      async (engine, state) => {
        const reference = await withEngine((first) => first.reference());
        await expect(run({ engine, config, state })).rejects.toThrow(/needs `reference`/);
        const steps = await run({ engine, config, state, reference });
        reference.dispose();
        return steps;
      },
    );
    expect(interrupted).toEqual(straight);
  });

  it('compares an adapter with what it was when the run began, trained before or not', async () => {
    const model = addAdapter(tinyModel(), { r: 2, loraAlpha: 4, seed: 1 });
    const engine = createLocalEngine(model);
    const config = { ...small, maxSteps: 2, beta: 0.1, learningRate: 0.05 };
    for (const adapter of ['new', 'trained']) {
      const [first, second] = await run({ engine, config });
      expect(first?.metrics['kl'], adapter).toBeCloseTo(0, 6);
      expect(second?.metrics['kl'], adapter).toBeGreaterThan(1e-6);
    }
    engine.dispose();
    disposeModel(model);
  });

  it('pulls towards the reference even without signal, unless such groups are left out', () =>
    withEngine(async (engine) => {
      const flat = letterWorld(() => 0.5);
      const reference = await withEngine((other) => other.reference(), 8);
      const config = { ...small, maxSteps: 1, beta: 0.1 };
      const [pulled] = await run({ engine, env: flat, config, reference });
      expect(pulled?.metrics['frac_reward_zero_std']).toBe(1);
      expect(pulled?.metrics['grad_norm']).toBeGreaterThan(1e-4);
      const before = bits(await engine.save());
      const [left] = await run({
        engine,
        env: flat,
        config: { ...config, filterZeroStdGroups: true },
        reference,
      });
      expect(left?.metrics['step_skipped']).toBe(1);
      expect(left?.metrics).not.toHaveProperty('grad_norm');
      expect(bits(await engine.save())).toEqual(before);
      reference.dispose();
    }));

  it('keeps the number of tensors constant', () =>
    withEngine(async (engine) => {
      const before = tf.memory().numTensors;
      const config = { ...small, beta: 0.1, numIterations: 2 };
      const counts = await liveTensors(grpo({ ...letters, engine, config }));
      expect(counts).toHaveLength(3);
      expect(new Set(counts).size).toBe(1);
      engine.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }));
});

it('raises the reward it is given', async () => {
  await initBackend({ backend: 'wasm' });
  await withEngine(async (engine) => {
    const config = {
      ...small,
      promptsPerStep: 4,
      numGenerations: 8,
      maxSteps: 40,
      learningRate: 0.02,
      warmupSteps: 2,
    };
    const steps = await run({ engine, config });
    const reward = (from: number, to: number): number =>
      steps.slice(from, to).reduce((sum, { metrics }) => sum + (metrics['reward'] as number), 0) /
      (to - from);
    expect(reward(0, 1)).toBeLessThan(0.3);
    expect(reward(37, 40)).toBeGreaterThan(0.8);
  });
});
