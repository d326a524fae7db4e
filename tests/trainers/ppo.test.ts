import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint, type Engine, type ScalarEngine } from 'posttrain/engine';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { rollout, type Trajectory } from 'posttrain/rollout';
import { initBackend } from 'posttrain/tensor';
import {
  dataOrder,
  definePPOConfig,
  NonFiniteError,
  ppo,
  type PPOConfig,
  type PPOOptions,
  type PPOState,
  type PPOStep,
} from 'posttrain/trainers';
import { bits, letterTask, type LetterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { testedBackends } from '../tensor/backends.js';
import { collect, liveTensors, withEngine, withScalarEngine } from './runs.js';

const small: Partial<PPOConfig> = {
  promptsPerStep: 6,
  maxCompletionLength: 6,
  maxSteps: 3,
  learningRate: 0.01,
};
const letters = {
  tokenizer: letterTokenizer,
  tasks: ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};

type Options = Pick<PPOOptions<LetterTask>, 'engine' | 'critic'> & Partial<PPOOptions<LetterTask>>;
const run = (options: Options): Promise<PPOStep[]> => collect(ppo({ ...letters, ...options }));

const withBoth = <R>(
  use: (engines: { readonly engine: Engine; readonly critic: ScalarEngine }) => Promise<R>,
  seed?: number,
): Promise<R> => withEngine((engine) => withScalarEngine((critic) => use({ engine, critic }), seed), seed);

/** Up to three turns; each reply earns a tenth of its letters, and the world ends it when `enough`. */
const turns = (enough: number): Environment<LetterTask> => ({
  name: 'turns',
  start: (task) => {
    let said = 0;
    return {
      initialObservation: () => task.request,
      step: (reply): StepResult => {
        said += 1;
        const episodeDone = said >= enough;
        return {
          reward: reply.length / 10,
          episodeDone,
          nextObservation: episodeDone ? null : 'c',
          metrics: {},
          ...(episodeDone && { stopReason: 'completed' as const }),
        };
      },
    };
  },
});

describe.each(testedBackends)('ppo on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('starts at its reference, with a critic that expects nothing, and reports by the names of TRL', () =>
    withBoth(async (engines) => {
      const config = { ...small, maxSteps: 1, temperature: 0.7, numPpoEpochs: 1 };
      const [step] = await run({ ...engines, config });
      const metrics = step?.metrics ?? {};
      expect(Math.abs(metrics['objective/kl'] as number)).toBeLessThan(1e-4);
      expect(metrics['val/ratio']).toBeCloseTo(1, 5);
      expect(metrics['policy/approxkl_avg']).toBeLessThan(1e-8);
      expect(metrics).toMatchObject({ 'policy/clipfrac_avg': 0, 'critic/vf_explained_var': 0 });
      expect(metrics['objective/scores']).toBeCloseTo(metrics['reward'] as number, 10);
      expect(metrics['grad_norm']).toBeGreaterThan(1e-3);
      expect(metrics['critic/grad_norm']).toBeGreaterThan(1e-4);
      const names = [
        ...['kl', 'entropy', 'non_score_reward', 'rlhf_reward', 'scores'].map((name) => `objective/${name}`),
        ...['approxkl_avg', 'clipfrac_avg', 'entropy_avg'].map((name) => `policy/${name}`),
        ...['loss/policy_avg', 'loss/value_avg', 'val/clipfrac_avg', 'val/ratio', 'val/num_eos_tokens'],
        ...['loss', 'learning_rate', 'step_skipped', 'num_tokens', 'num_samples', 'epoch'],
      ];
      expect(Object.keys(metrics)).toEqual(expect.arrayContaining(names));
      expect(metrics).not.toHaveProperty('val/ratio_var');
    }));

  it('takes the step of the plain policy gradient in a first epoch, and the critic that of its squared error', async () => {
    const config = { ...small, maxSteps: 1, numPpoEpochs: 1, klCoef: 0, lam: 1, vfCoef: 1 };
    const [own, ownCritic] = await withBoth(async ({ engine, critic }) => {
      await run({ engine, critic, config });
      return [await engine.save(), await critic.save()];
    });
    const [plain, plainCritic] = await withBoth(async ({ engine, critic }) => {
      const { seed, maxCompletionLength, numGenerations, promptsPerStep } = definePPOConfig(config);
      const order = dataOrder(letters.tasks.length, seed, true);
      const tasks = Array.from({ length: promptsPerStep }, (_, n) => letters.tasks[order(n)] as LetterTask);
      const settings = { ...letters, engine, tasks, seed, maxCompletionLength, numGenerations, step: 0 };
      const episodes = (await rollout(settings)).flatMap((group) => group.episodes);
      // A new critic expects 0 and λ is 1: the advantage of a token is its episode's reward, whitened over all tokens.
      const lengths = episodes.map(
        ({ trajectories }) => trajectories[0]?.actionMask.filter((on) => on).length ?? 0,
      );
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const rewards = episodes.flatMap(({ reward }, n) =>
        new Array<number>(lengths[n] as number).fill(reward as number),
      );
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / total;
      const std = Math.sqrt(rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (total - 1));
      const sequences = episodes.map(({ trajectories, reward }) => ({
        ...(trajectories[0] as Trajectory),
        advantage: ((reward as number) - mean) / std,
        reward: reward as number,
      }));
      await engine.forwardBackward(
        sequences.map(({ tokens, actionMask, advantage }) => ({
          tokens,
          weights: Float32Array.from(actionMask, (on) => (on * advantage) / total),
        })),
        { name: 'cross_entropy' },
      );
      await critic.forwardBackward(
        sequences.map(({ tokens, actionMask, reward }) => ({
          tokens,
          weights: Float32Array.from(actionMask, (_, t) => (actionMask[t + 1] ?? 0) / total),
          returns: new Float32Array(tokens.length).fill(reward),
        })),
        { name: 'value', cliprangeValue: null },
      );
      await engine.optimStep({ learningRate: 0.01 });
      await critic.optimStep({ learningRate: 0.01 });
      return [await engine.save(), await critic.save()];
    });
    for (const [mine, other] of [
      [own, plain],
      [ownCritic, plainCritic],
    ] as const)
      for (const [name, { data }] of mine.firstMoments)
        data.forEach((value, i) =>
          expect(Math.abs(value - (other.firstMoments.get(name)?.data[i] as number)), name).toBeLessThan(
            1e-6,
          ),
        );
    expect(Math.hypot(...[...own.firstMoments.values()].flatMap(({ data }) => [...data]))).toBeGreaterThan(
      1e-3,
    );
  });

  it('goes on bit-identically after it was stopped, policy and critic', async () => {
    const config = { ...small, maxSteps: 4, numPpoEpochs: 1, numMiniBatches: 2 };
    const states = async ({ engine, critic }: { engine: Engine; critic: ScalarEngine }): Promise<unknown> => [
      bits(await engine.save()),
      bits(await critic.save()),
    ];
    const straight = await withBoth(async (engines) => {
      const steps = await run({ ...engines, config });
      return { metrics: steps.map(({ metrics }) => metrics), bits: await states(engines) };
    });
    expect(straight.metrics[3]?.['objective/kl']).not.toBeCloseTo(0, 4);
    const { bytes, metrics } = await withBoth(async ({ engine, critic }) => {
      const stop = new AbortController();
      const steps: PPOStep[] = [];
      for await (const step of ppo({ ...letters, engine, critic, config, signal: stop.signal })) {
        steps.push(step);
        if (step.step === 2) stop.abort();
      }
      const trainer = steps.at(-1)?.state;
      const saved = { engine: await engine.save(), critic: await critic.save(), trainer };
      return { bytes: encodeCheckpoint(saved), metrics: steps.map((step) => step.metrics) };
    });
    const saved = decodeCheckpoint<PPOState>(bytes);
    const interrupted = await withBoth(async ({ engine, critic }) => {
      const reference = await withEngine((first) => first.reference());
      await engine.load(saved.engine);
      await critic.load(saved.critic as NonNullable<typeof saved.critic>);
      const state = saved.trainer;
      await expect(run({ engine, critic, config, state })).rejects.toThrow(/needs `reference`/);
      const steps = await run({ engine, critic, config, state, reference });
      reference.dispose();
      const later = steps.map((step) => step.metrics);
      return { metrics: [...metrics, ...later], bits: await states({ engine, critic }) };
    }, 99);
    expect(interrupted).toEqual(straight);
  });

  it('keeps the number of tensors constant', () =>
    withBoth(async (engines) => {
      const before = tf.memory().numTensors;
      const counts = await liveTensors(
        ppo({ ...letters, ...engines, config: { ...small, numMiniBatches: 2 } }),
      );
      expect(counts).toHaveLength(3);
      expect(new Set(counts).size).toBe(1);
      engines.engine.dispose();
      engines.critic.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }));
});

it('raises the reward it is given, and its critic learns to foresee it', async () => {
  await initBackend({ backend: 'wasm' });
  await withBoth(async (engines) => {
    const config = { ...small, promptsPerStep: 24, maxSteps: 20, learningRate: 0.01, maxCompletionLength: 8 };
    const steps = await run({ ...engines, config: { ...config, klCoef: 0.01, cliprangeValue: null } });
    const meanOf = (key: string, from: number, to: number): number =>
      steps.slice(from, to).reduce((sum, { metrics }) => sum + (metrics[key] as number), 0) / (to - from);
    expect(meanOf('reward', 0, 1)).toBeLessThan(0.3);
    expect(meanOf('reward', 17, 20)).toBeGreaterThan(0.8);
    expect(meanOf('critic/vf_explained_var', 12, 20)).toBeGreaterThan(0.2);
    expect(meanOf('objective/kl', 17, 20)).toBeGreaterThan(1);
  });
});

describe('what ppo does', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });
  const metricsOf = (config: Partial<PPOConfig>, env = letters.env): Promise<PPOStep['metrics']> =>
    withBoth(
      async (engines) =>
        (await run({ ...engines, env, config: { ...small, maxSteps: 1, ...config } }))[0]?.metrics ?? {},
    );

  it('stops a value at its clip range, and a ratio at the other', async () => {
    const fast = { learningRate: 0.05, warmupSteps: 0 };
    const clipped = await metricsOf({ ...fast, cliprange: 0.01, cliprangeValue: 0.001 });
    expect(clipped['val/clipfrac_avg']).toBeGreaterThan(0.2);
    expect(clipped['policy/clipfrac_avg']).toBeGreaterThan(0.1);
    const free = await metricsOf({ ...fast, cliprange: 1, cliprangeValue: null });
    expect(free['val/clipfrac_avg']).toBe(0);
    expect(free['policy/clipfrac_avg']).toBeLessThan(clipped['policy/clipfrac_avg'] as number);
    expect(free['val/ratio_var']).toBeGreaterThan(0);
  });

  it('holds no reference and reports no KL when klCoef is 0, and charges for the distance when it is not', async () => {
    const free = await metricsOf({ klCoef: 0 });
    expect(free).not.toHaveProperty('objective/kl');
    expect(free['objective/rlhf_reward']).toBe(free['objective/scores']);
    await withBoth(async (engines) => {
      const reference = await withEngine((other) => other.reference(), 8);
      const config = { ...small, maxSteps: 1, klCoef: 0.2, klEstimator: 'k3' as const };
      const metrics = (await run({ ...engines, config, reference }))[0]?.metrics ?? {};
      const [kl, paid] = [metrics['objective/kl'] as number, metrics['objective/non_score_reward'] as number];
      expect(kl).toBeGreaterThan(0.1);
      expect(paid).toBeCloseTo(-0.2 * kl, 10);
      expect(metrics['objective/rlhf_reward']).toBeCloseTo(
        (metrics['objective/scores'] as number) + paid,
        10,
      );
      reference.dispose();
    });
  });

  it('updates numPpoEpochs × numMiniBatches times a step, at one learning rate after the other', () =>
    withBoth(async (engines) => {
      const config = {
        ...small,
        maxSteps: 2,
        numPpoEpochs: 3,
        numMiniBatches: 2,
        lrSchedulerType: 'cosine' as const,
      };
      const steps = await run({ ...engines, config: { ...config, warmupSteps: 0 } });
      expect(steps.map(({ state }) => state.updates)).toEqual([6, 12]);
      expect(engines.engine.policyVersion).toBe(12);
      expect((await engines.critic.save()).policyVersion).toBe(12);
      const last = 0.01 * 0.5 * (1 + Math.cos((Math.PI * 11) / 12));
      expect(steps[1]?.metrics['learning_rate']).toBeCloseTo(last, 10);
    }));

  it('takes no further update in a step once the policy is further than targetKl from its samples', () =>
    withBoth(async (engines) => {
      const config = { ...small, maxSteps: 2, numPpoEpochs: 4, klCoef: 0 };
      // nothing has moved before the first update; the second sees what it did, takes its step, and is the last
      const steps = await run({ ...engines, config: { ...config, targetKl: 1e-6 } });
      expect(steps.map(({ metrics }) => metrics['policy/num_updates'])).toEqual([2, 2]);
      expect(steps.map(({ metrics }) => (metrics['policy/approxkl_avg'] as number) > 5e-7)).toEqual([
        true,
        true,
      ]);
      expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([0, 0]);
      expect([engines.engine.policyVersion, (await engines.critic.save()).policyVersion]).toEqual([4, 4]);
      const [free] = await run({ ...engines, config: { ...config, maxSteps: 1, targetKl: 1e3 } });
      expect(free?.metrics['policy/num_updates']).toBe(4);
    }));

  it('is paid less for a reply without its stop token', async () => {
    const [plain, punished] = [await metricsOf({}), await metricsOf({ missingEosPenalty: 2 })];
    expect(plain['stop/max_tokens']).toBeGreaterThan(0.5);
    expect(punished['reward']).toBe(plain['reward']);
    expect(punished['objective/scores']).toBeCloseTo(
      (plain['reward'] as number) - 2 * (plain['stop/max_tokens'] as number),
      10,
    );
    expect(plain['val/num_eos_tokens']).toBeCloseTo(6 * (1 - (plain['stop/max_tokens'] as number)), 10);
  });

  it('refuses rewards that are not finite, and stops at the third time with the weights of the last good step', () =>
    withBoth(async (engines) => {
      const before = [bits(await engines.engine.save()), bits(await engines.critic.save())];
      const env = letterWorld(() => Infinity);
      const steps: PPOStep[] = [];
      const play = async (): Promise<void> => {
        const config = { ...small, numPpoEpochs: 1, maxSteps: 9 };
        for await (const step of ppo({ ...letters, ...engines, env, config })) steps.push(step);
      };
      await expect(play()).rejects.toThrow(NonFiniteError);
      expect(steps.map(({ metrics }) => metrics['step_skipped'])).toEqual([1, 1]);
      expect([bits(await engines.engine.save()), bits(await engines.critic.save())]).toEqual(before);
    }));

  it('plays several turns, and learns from all of them', () =>
    withBoth(async (engines) => {
      const config = { ...small, maxSteps: 1, maxTurns: 3, maxCompletionLength: 20 };
      const [step] = await run({ ...engines, env: turns(2), config });
      expect(
        step?.episodes.some(({ trajectories }) => trajectories.flatMap((each) => each.turns).length === 2),
      ).toBe(true);
      expect(step?.metrics['step_skipped']).toBe(0);
    }));
});
