/** What GRPO makes of its samples, with a policy that replies from a script. */
import { describe, expect, it } from 'vitest';
import type { Datum } from 'posttrain/engine';
import type { Environment, StepResult } from 'posttrain/envs/types';
import type { SampleKey } from 'posttrain/model';
import {
  grpo,
  type GRPOConfig,
  type GRPOOptions,
  type GRPOStep,
  LogprobMismatchError,
  NonFiniteError,
  StaleSampleError,
  TruncatedCompletionsError,
} from 'posttrain/trainers';
import { grpoBatch } from 'posttrain/trainers/grpo-batch';
import { defineGRPOConfig } from 'posttrain/trainers/grpo-config';
import { scriptedTrainer as scripted } from '../engine/scripted.js';
import { letterTask, type LetterTask, letterTokenizer, letterWorld } from '../engine/tiny.js';
import { collect } from './runs.js';

const tasks = ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter));
const small: Partial<GRPOConfig> = {
  promptsPerStep: 2,
  numGenerations: 2,
  maxCompletionLength: 8,
  maxSteps: 3,
  maxClippedRatio: 1,
};
const isEven = (key: SampleKey): boolean => key.index % 2 === 0;
const sometimesA = (_: string, key: SampleKey): { text: string } => ({ text: isEven(key) ? 'aa' : 'b' });
const firstIsA = letterWorld((reply) => (reply.startsWith('a') ? 1 : 0));

type Options = Pick<GRPOOptions<LetterTask>, 'engine'> & Partial<GRPOOptions<LetterTask>>;
const run = (options: Options): Promise<GRPOStep[]> =>
  collect(grpo({ tokenizer: letterTokenizer, tasks, env: firstIsA, ...options }));

describe('the batch of a step', () => {
  const config = { ...small, shuffleDataset: false };

  it('visits each task group by group, and trains on it numIterations times', async () => {
    const engine = scripted(sometimesA);
    const steps = await run({ engine, config: { ...config, maxSteps: 2, numIterations: 2 } });
    expect(engine.requests.join('')).toBe('aabbccdd');
    expect(engine.trained).toHaveLength(4);
    expect(engine.trained[1]?.map(({ tokens }) => tokens)).toEqual(
      engine.trained[0]?.map(({ tokens }) => tokens),
    );
    expect(
      engine.trained.map((batch) => batch.every(({ oldLogprobs }) => oldLogprobs !== undefined)),
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
    await run({ engine, config: { ...config, maxSteps: 1 } });
    const [good, bad] = engine.trained[0] ?? [];
    // Two groups of a three-token and a two-token reply: ten tokens. (1 − ½) / (√½ + 1e-4) = .70701.
    expect([...(good as Datum).weights].map((w) => Math.round(w * 1000))).toEqual([0, 0, 0, 100, 100, 100]);
    expect(good?.advantages?.at(-1)).toBeCloseTo(0.70701, 4);
    expect(bad?.advantages?.at(-1)).toBeCloseTo(-0.70701, 4);
  });

  it('leaves cut replies out of sum and denominator with maskTruncatedCompletions', async () => {
    const engine = scripted((_, key) => (isEven(key) ? { text: 'aaa' } : { text: 'bbbbbbbb', cut: true }));
    const [step] = await run({
      engine,

      config: { ...config, maxSteps: 1, maskTruncatedCompletions: true },
    });
    const [whole, cut] = engine.trained[0] ?? [];
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
    const steps = await run({ engine, config: { ...config, maskTruncatedCompletions: true } });
    expect(engine.trained).toHaveLength(0);
    expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([1, 1, 1]);
    expect(steps.at(-1)?.state).toMatchObject({ step: 3, updates: 0, refused: 0 });
  });

  it('keeps groups apart that ask the same', async () => {
    const twins = [letterTask('one', 'a'), letterTask('two', 'a')];
    const engine = scripted((_, key) => ({ text: key.index < 2 ** 16 ? 'a' : 'b' }));
    const [step] = await run({ engine, tasks: twins, config: { ...config, maxSteps: 1 } });
    expect(step?.completions.map(({ advantage }) => advantage)).toEqual([0, 0, 0, 0]);
    expect(step?.metrics).toMatchObject({
      frac_reward_zero_std: 1,
      'by_group/frac_all_good': 0.5,
      'by_group/frac_all_bad': 0.5,
      'by_group/frac_mixed': 0,
      reward: 0.5,
    });
  });

  it('leaves groups without signal out of the denominator too (A6)', async () => {
    const uneven = (request: string, key: SampleKey): { text: string } =>
      request === 'a' ? { text: 'aaaa' } : sometimesA(request, key);
    for (const [filterZeroStdGroups, tokens] of [
      [false, 2 * 5 + 3 + 2],
      [true, 3 + 2],
    ] as const) {
      const engine = scripted(uneven);
      await run({ engine, config: { ...config, maxSteps: 1, filterZeroStdGroups } });
      const last = engine.trained[0]?.at(-1) as Datum;
      expect(last.weights.at(-1)).toBeCloseTo(1 / tokens, 6);
    }
  });

  it('has no token of an empty reply, and keeps its reward (D7)', async () => {
    const engine = scripted((_, key) => (isEven(key) ? { text: '', cut: true } : { text: 'a' }));
    const [step] = await run({ engine, config: { ...config, maxSteps: 1 } });
    const counts = engine.trained[0]?.map(({ weights }) => weights.filter((weight) => weight !== 0).length);
    expect(counts).toEqual([0, 2, 0, 2]);
    expect(engine.trained[0]?.[1]?.weights.at(-1)).toBeCloseTo(1 / 4, 6);
    expect(step?.metrics).toMatchObject({ empty_rollouts: 2, reward: 0.5, 'completions/min_length': 0 });
    expect(step?.completions.map(({ reward }) => reward)).toEqual([0, 1, 0, 1]);
  });

  it('counts a task that does not fit as unscorable, not as a zero', async () => {
    const crowded = [letterTask('long', 'a'.repeat(62)), letterTask('short', 'a')];
    const [step] = await run({
      engine: scripted(sometimesA),

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
    shuffleDataset: false,
    filterZeroStdGroups: 'resample',
    maxResampleRounds: 3,
  };

  it('draws further tasks until enough groups carry signal, and counts all samples', async () => {
    const engine = scripted((name, key) => ({ text: name !== 'a' && isEven(key) ? 'a' : 'b' }));
    const [step] = await run({ engine, config: { ...config, maxSteps: 1 } });
    expect(engine.requests.join('')).toBe('aabbcc');
    expect(engine.trained[0]).toHaveLength(4);
    expect(step?.state).toMatchObject({ tasks: 3, samples: 6 });
    expect(step?.metrics).toMatchObject({ resample_rounds: 2, num_samples: 6 });
  });

  it('skips the step after its last round: optimizer and schedule stand still', async () => {
    const engine = scripted(() => ({ text: 'a' }));
    const steps = await run({ engine, config: { ...config, maxSteps: 2 } });
    expect(steps.map(({ metrics }) => [metrics['step_skipped'], metrics['resample_rounds']])).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(steps.at(-1)?.state).toMatchObject({ updates: 0, tasks: 12, samples: 24 });
    expect(engine.policyVersion).toBe(0);
  });
});

describe('a sampler elsewhere', () => {
  it('is corrected for in the advantages alone, by how much likelier the trainer finds its tokens', async () => {
    const settings = {
      ...small,
      maxSteps: 1,
      logprobTolerance: 9,
      vllmImportanceSamplingMode: 'token_truncate',
    } as const;
    const [plain, corrected] = [scripted(sometimesA, -0.6), scripted(sometimesA, -0.6)];
    await run({ engine: plain, config: settings });
    const [step] = await run({
      engine: corrected,
      config: { ...settings, vllmImportanceSamplingCorrection: true },
    });
    const ratio = step!.metrics['sampling/importance_sampling_ratio/mean'] as number;
    expect(ratio).toBeCloseTo(Math.exp(-0.1), 4);
    corrected.trained[0]!.forEach(({ weights, advantages }, row) => {
      const before = plain.trained[0]![row]!;
      expect(weights).toEqual(before.weights);
      advantages!.forEach((advantage, t) => {
        expect(advantage).toBeCloseTo(weights[t] === 0 ? 0 : before.advantages![t]! * ratio, 4);
      });
    });
  });
});

describe('a run that cannot work', () => {
  it('stops when most replies are cut, and warns when some are', async () => {
    const cut = scripted((_, key) => ({ text: 'bbbbbbbb', cut: key.index > 0 }));
    await expect(run({ engine: cut, config: { ...small, maxClippedRatio: 0.5 } })).rejects.toThrow(
      TruncatedCompletionsError,
    );
    const some = scripted((_, key) => ({ text: 'b', cut: key.index === 0 }));
    const steps = await run({ engine: some, config: { ...small, maxClippedRatio: 0.5 } });
    expect(steps.map(({ warnings }) => warnings.length)).toEqual([1, 0, 0]);
    expect(steps[0]?.warnings[0]).toMatch(/25 % of the replies ran out of tokens/);
  });

  it('names the rewards that cancel each other (A2)', async () => {
    const cancelling = (weight: number): Environment<LetterTask> => ({
      name: 'cancelling',
      start: ({ request }) => ({
        initialObservation: () => request,
        step: (reply): StepResult => {
          const [short, long] = reply.startsWith('a') ? [1, 0] : [0, 1];
          const metrics = { short, long, letters: reply.length, one: 1 };
          const reward = short + weight * long;
          return { reward, episodeDone: true, nextObservation: null, stopReason: 'completed', metrics };
        },
      }),
    });
    const play = async (weight: number): Promise<GRPOStep[]> =>
      run({ engine: scripted(sometimesA), env: cancelling(weight), config: { ...small, numGenerations: 4 } });
    const [first, second] = await play(1);
    expect(first?.metrics).toMatchObject({ frac_reward_zero_std: 1, 'rewards/short/mean': 0.5 });
    expect(first?.warnings).toHaveLength(2);
    expect(first?.warnings[0]).toMatch(
      /No group carries signal, while short and long differ, each against the other.*normalizeThenSum/,
    );
    expect(second?.warnings).toEqual([]);
    expect((await play(0.5))[0]?.warnings).toEqual([]);
  });

  it('stops when sampler and trainer disagree at step 1', async () => {
    const engine = scripted(sometimesA, -0.6);
    await expect(run({ engine, config: small })).rejects.toThrow(LogprobMismatchError);
    expect(engine.policyVersion).toBe(0);
    await run({
      engine: scripted(sometimesA, -0.6),
      config: { ...small, logprobTolerance: 0.2 },
    });
  });

  it('stops after three updates in a row that are not finite', async () => {
    const engine = scripted(sometimesA);
    engine.optimStep = () => Promise.resolve({ gradNorm: NaN, stepped: false });
    const error = await run({ engine, config: { ...small, maxSteps: 9 } }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NonFiniteError);
    expect((error as NonFiniteError).step).toBe(3);
    expect((error as NonFiniteError).batch).toBe(engine.trained[2]);
  });

  it('refuses samples of an older policy (B7, B8)', () => {
    const group = {
      task: tasks[0] as LetterTask,
      groupId: '0:0',
      advantages: [0],
      turnAdvantages: [[0]],
      std: 0,
      constant: true,
    };
    const episode = { taskId: 'a', policyVersion: 4, trajectories: [] } as never;
    expect(() => grpoBatch([{ ...group, episodes: [episode] }], defineGRPOConfig(), 5)).toThrow(
      StaleSampleError,
    );
  });

  it('needs tasks', async () => {
    await expect(run({ engine: scripted(sometimesA), tasks: [] })).rejects.toThrow(/at least one task/);
  });
});
