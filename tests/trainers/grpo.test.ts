import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLocalEngine,
  decodeCheckpoint,
  encodeCheckpoint,
  type Datum,
  type Engine,
} from 'posttrain/engine';
import type { LossSpec } from 'posttrain/losses';
import { disposeModel, type Sample, type SampleKey } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import {
  grpo,
  type GRPOConfig,
  type GRPOOptions,
  type GRPOState,
  type GRPOStep,
  LogprobMismatchError,
  NonFiniteError,
  TruncatedCompletionsError,
} from 'posttrain/trainers';
import { grpoBatch, StaleSampleError } from 'posttrain/trainers/grpo-batch';
import { defineGRPOConfig } from 'posttrain/trainers/grpo-config';
import {
  bits,
  letterTask,
  type LetterTask,
  letterTokenizer,
  letterWorld,
  shareOfA,
  tinyModel,
} from '../engine/tiny.js';

const END = 1;
const tasks = ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter));
const small: Partial<GRPOConfig> = {
  promptsPerStep: 2,
  numGenerations: 4,
  maxCompletionLength: 8,
  maxSteps: 3,
  maxClippedRatio: 1,
};

async function withEngine<R>(use: (engine: Engine) => Promise<R>, seed?: number): Promise<R> {
  const model = tinyModel(seed);
  const engine = createLocalEngine(model);
  try {
    return await use(engine);
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

async function run(
  options: Omit<GRPOOptions<LetterTask>, 'tokenizer' | 'tasks'> & { tasks?: readonly LetterTask[] },
): Promise<GRPOStep[]> {
  const steps: GRPOStep[] = [];
  for await (const step of grpo({ tokenizer: letterTokenizer, tasks, ...options })) steps.push(step);
  return steps;
}

describe.each(['cpu', 'wasm'] as const)('grpo on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });
  const env = letterWorld(shareOfA);

  it('starts with a loss near 0, a gradient, a sampler that agrees, and no kl', () =>
    withEngine(async (engine) => {
      const [step] = await run({
        engine,
        env,
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
      const [step] = await run({ engine, env, config: { ...small, maxSteps: 1, beta: 0.1 } });
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
    const straight = await withEngine(async (engine) => {
      const steps = await run({ engine, env, config });
      return { metrics: steps.map(({ metrics }) => metrics), bits: bits(await engine.save()) };
    });
    expect(straight.metrics[0]?.['kl']).toBeCloseTo(0, 6);
    expect(straight.metrics[3]?.['kl']).toBeGreaterThan(1e-6);
    const stop = new AbortController();
    const stopped = await withEngine(async (engine) => {
      const steps: GRPOStep[] = [];
      for await (const step of grpo({
        engine,
        env,
        tasks,
        tokenizer: letterTokenizer,
        config,
        signal: stop.signal,
      })) {
        steps.push(step);
        if (step.step === 2) stop.abort();
      }
      const trainer = steps.at(-1)?.state as GRPOState;
      return {
        bytes: encodeCheckpoint({ engine: await engine.save(), trainer }),
        metrics: steps.map((step) => step.metrics),
      };
    });
    const resumed = await withEngine(async (engine) => {
      const reference = await engine.reference();
      const { engine: saved, trainer } = decodeCheckpoint<GRPOState>(stopped.bytes);
      await engine.load(saved);
      await expect(run({ engine, env, config, state: trainer })).rejects.toThrow(/needs `reference`/);
      const steps = await run({ engine, env, config, state: trainer, reference });
      reference.dispose();
      return { metrics: steps.map((step) => step.metrics), bits: bits(await engine.save()) };
    });
    expect([...stopped.metrics, ...resumed.metrics]).toEqual(straight.metrics);
    expect(resumed.bits).toEqual(straight.bits);
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
      const counts: number[] = [];
      const config = { ...small, beta: 0.1, numIterations: 2 };
      const before = tf.memory().numTensors;
      for await (const { step } of grpo({ engine, env, tasks, tokenizer: letterTokenizer, config }))
        counts[step] = tf.memory().numTensors;
      expect(new Set(counts.slice(1)).size).toBe(1);
      expect(counts).toHaveLength(4);
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
    const steps = await run({ engine, env: letterWorld(shareOfA), config });
    const reward = (from: number, to: number): number =>
      steps.slice(from, to).reduce((sum, { metrics }) => sum + (metrics['reward'] as number), 0) /
      (to - from);
    expect(reward(0, 1)).toBeLessThan(0.3);
    expect(reward(37, 40)).toBeGreaterThan(0.8);
  });
});

/** A policy that replies from a script; records what it is trained on. */
function scripted(
  reply: (prompt: string, key: SampleKey) => { text: string; cut?: boolean },
  sampledLogprob = -0.5,
) {
  const trained: { batch: readonly Datum[]; loss: LossSpec }[] = [];
  const prompts: string[] = [];
  let version = 0;
  const engine = {
    trained,
    prompts,
    get policyVersion() {
      return version;
    },
    maxLength: 64,
    sample: (asked: readonly Int32Array[], _: unknown, keys: readonly SampleKey[]): Promise<Sample[]> =>
      Promise.resolve(
        asked.map((prompt, n) => {
          const name = letterTokenizer.decode(prompt).replaceAll(/<[^>]*>/g, '');
          prompts.push(name);
          const { text, cut } = reply(name, keys[n] as SampleKey);
          const tokens = Int32Array.of(...letterTokenizer.encode(text), ...(cut ? [] : [END]));
          return {
            tokens,
            logprobs: new Float32Array(tokens.length).fill(-0.5),
            finishReason: cut ? 'length' : 'stop',
          };
        }),
      ),
    forwardBackward: (batch: readonly Datum[], loss: LossSpec) => {
      trained.push({ batch, loss });
      const streams = batch.map(({ weights }) =>
        weights.map((weight) => (weight === 0 ? 0 : sampledLogprob)),
      );
      return Promise.resolve({
        loss: 0,
        logprobs: streams,
        entropies: streams,
        hits: batch.map(({ tokens }) => new Uint8Array(tokens.length)),
      });
    },
    optimStep: () => {
      version += 1;
      return Promise.resolve({ gradNorm: 1, stepped: true });
    },
  };
  return engine as typeof engine & Engine;
}

const isEven = (key: SampleKey): boolean => key.index % 2 === 0;
const sometimesA = (_: string, key: SampleKey): { text: string } => ({ text: isEven(key) ? 'aa' : 'b' });
const firstIsA = letterWorld((reply) => (reply.startsWith('a') ? 1 : 0));

describe('the batch of a step', () => {
  const config = { ...small, numGenerations: 2, shuffleDataset: false };

  it('visits each task group by group, and trains on it numIterations times', async () => {
    const engine = scripted(sometimesA);
    const steps = await run({ engine, env: firstIsA, config: { ...config, maxSteps: 2, numIterations: 2 } });
    expect(engine.prompts.join('')).toBe('aabbccdd');
    expect(engine.trained).toHaveLength(4);
    expect(engine.trained[1]?.batch.map(({ tokens }) => tokens)).toEqual(
      engine.trained[0]?.batch.map(({ tokens }) => tokens),
    );
    expect(
      engine.trained.map(({ batch }) => batch.every(({ oldLogprobs }) => oldLogprobs !== undefined)),
    ).toEqual([false, true, false, true]);
    expect(steps.at(-1)?.state).toEqual({
      step: 2,
      updates: 4,
      tasks: 4,
      samples: 8,
      numTokens: 2 * (2 * 6 + 2 * 5),
      refused: 0,
    });
    expect(steps.at(-1)?.metrics['epoch']).toBe(1);
  });

  it('puts the advantage on sampled tokens, each weighing the same', async () => {
    const engine = scripted(sometimesA);
    await run({ engine, env: firstIsA, config: { ...config, maxSteps: 1 } });
    const [good, bad] = engine.trained[0]?.batch ?? [];
    // Two groups of a three-token and a two-token reply: ten tokens. (1 − ½) / (√½ + 1e-4) = .70701.
    expect([...(good as Datum).weights].map((w) => Math.round(w * 1000))).toEqual([0, 0, 0, 100, 100, 100]);
    expect(good?.advantages?.at(-1)).toBeCloseTo(0.70701, 4);
    expect(bad?.advantages?.at(-1)).toBeCloseTo(-0.70701, 4);
  });

  it('leaves cut replies out of sum and denominator with maskTruncatedCompletions', async () => {
    const engine = scripted((_, key) => (isEven(key) ? { text: 'aaa' } : { text: 'bbbbbbbb', cut: true }));
    const [step] = await run({
      engine,
      env: firstIsA,
      config: { ...config, maxSteps: 1, maskTruncatedCompletions: true },
    });
    const [whole, cut] = engine.trained[0]?.batch ?? [];
    expect([...(cut as Datum).weights].every((w) => w === 0)).toBe(true);
    expect(whole?.weights.at(-1)).toBeCloseTo(1 / 8, 6);
    expect(step?.metrics).toMatchObject({
      'completions/clipped_ratio': 0.5,
      'stop/max_tokens': 0.5,
      'completions/mean_terminated_length': 4,
      'completions/max_length': 8,
    });
  });

  it('skips a step in which everything was cut', async () => {
    const engine = scripted(() => ({ text: 'bbbbbbbb', cut: true }));
    const steps = await run({ engine, env: firstIsA, config: { ...config, maskTruncatedCompletions: true } });
    expect(engine.trained).toHaveLength(0);
    expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([1, 1, 1]);
    expect(steps.at(-1)?.state).toMatchObject({ step: 3, updates: 0, refused: 0 });
  });

  it('keeps groups apart that ask the same', async () => {
    const twins = [letterTask('one', 'a'), letterTask('two', 'a')];
    const engine = scripted((_, key) => ({ text: key.index < 2 ** 16 ? 'a' : 'b' }));
    const [step] = await run({ engine, env: firstIsA, tasks: twins, config: { ...config, maxSteps: 1 } });
    expect(step?.completions.map(({ advantage }) => advantage)).toEqual([0, 0, 0, 0]);
    expect(step?.metrics).toMatchObject({
      frac_reward_zero_std: 1,
      'by_group/frac_all_good': 0.5,
      'by_group/frac_all_bad': 0.5,
      'by_group/frac_mixed': 0,
      reward: 0.5,
    });
  });

  it('counts a task that does not fit as unscorable, not as a zero', async () => {
    const crowded = [letterTask('long', 'a'.repeat(62)), letterTask('short', 'a')];
    const [step] = await run({
      engine: scripted(sometimesA),
      env: firstIsA,
      tasks: crowded,
      config: { ...config, maxSteps: 1 },
    });
    expect(step?.metrics).toMatchObject({ reward: 0.5, empty_rollouts: 2, 'stop/context_overflow': 0.5 });
    expect(step?.completions.slice(0, 2).map(({ reward, advantage }) => [reward, advantage])).toEqual([
      [null, 0],
      [null, 0],
    ]);
  });
});

describe('resampling', () => {
  const config: Partial<GRPOConfig> = {
    ...small,
    numGenerations: 2,
    shuffleDataset: false,
    filterZeroStdGroups: 'resample',
    maxResampleRounds: 3,
  };

  it('draws further tasks until enough groups carry signal, and counts all samples', async () => {
    const engine = scripted((name, key) => ({ text: name !== 'a' && isEven(key) ? 'a' : 'b' }));
    const [step] = await run({ engine, env: firstIsA, config: { ...config, maxSteps: 1 } });
    expect(engine.prompts.join('')).toBe('aabbcc');
    expect(engine.trained[0]?.batch).toHaveLength(4);
    expect(step?.state).toMatchObject({ tasks: 3, samples: 6 });
    expect(step?.metrics).toMatchObject({ resample_rounds: 2, num_samples: 6 });
  });

  it('skips the step after its last round: optimizer and schedule stand still', async () => {
    const engine = scripted(() => ({ text: 'a' }));
    const steps = await run({ engine, env: firstIsA, config: { ...config, maxSteps: 2 } });
    expect(steps.map(({ metrics }) => [metrics['step_skipped'], metrics['resample_rounds']])).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(steps.at(-1)?.state).toMatchObject({ updates: 0, tasks: 12, samples: 24 });
    expect(engine.policyVersion).toBe(0);
  });
});

describe('a run that cannot work', () => {
  const config = { ...small, numGenerations: 2 };

  it('stops when most replies are cut, and warns when some are', async () => {
    const cut = scripted((_, key) => ({ text: 'bbbbbbbb', cut: key.index > 0 }));
    await expect(
      run({ engine: cut, env: firstIsA, config: { ...config, maxClippedRatio: 0.5 } }),
    ).rejects.toThrow(TruncatedCompletionsError);
    const some = scripted((_, key) => ({ text: 'b', cut: key.index === 0 }));
    const steps = await run({ engine: some, env: firstIsA, config: { ...config, maxClippedRatio: 0.5 } });
    expect(steps.map(({ warnings }) => warnings.length)).toEqual([1, 0, 0]);
    expect(steps[0]?.warnings[0]).toMatch(/25 % of the replies ran out of tokens/);
  });

  it('stops when sampler and trainer disagree at step 1', async () => {
    const engine = scripted(sometimesA, -0.6);
    await expect(run({ engine, env: firstIsA, config })).rejects.toThrow(LogprobMismatchError);
    expect(engine.policyVersion).toBe(0);
    await run({
      engine: scripted(sometimesA, -0.6),
      env: firstIsA,
      config: { ...config, logprobTolerance: 0.2 },
    });
  });

  it('stops after three updates in a row that are not finite', async () => {
    const engine = scripted(sometimesA);
    engine.optimStep = () => Promise.resolve({ gradNorm: NaN, stepped: false });
    const error = await run({ engine, env: firstIsA, config: { ...config, maxSteps: 9 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(NonFiniteError);
    expect((error as NonFiniteError).step).toBe(3);
    expect((error as NonFiniteError).batch).toBe(engine.trained[2]?.batch);
  });

  it('refuses samples of an older policy', () => {
    const group = { task: tasks[0] as LetterTask, groupId: '0:0', advantages: [0], std: 0, constant: true };
    const episode = { taskId: 'a', policyVersion: 4, trajectories: [] } as never;
    expect(() => grpoBatch([{ ...group, episodes: [episode] }], defineGRPOConfig(), 5)).toThrow(
      StaleSampleError,
    );
  });

  it('needs tasks', async () => {
    await expect(run({ engine: scripted(sometimesA), env: firstIsA, tasks: [] })).rejects.toThrow(
      /at least one task/,
    );
  });
});
