import * as tf from '@tensorflow/tfjs-core';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint, type Engine, type ScalarEngine } from 'posttrain/engine';
import type { Environment, StepResult, StopReason } from 'posttrain/envs/types';
import { type EpisodeRecord, rollout, type Trajectory } from 'posttrain/rollout';
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
  StaleSampleError,
} from 'posttrain/trainers';
import { ppoData, ppoEpisodes } from 'posttrain/trainers/ppo-batch';
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

/** A sampled episode; its sequences are masks, a 1 for each token the policy sampled. */
function episodeOf(
  masks: readonly (readonly number[])[],
  reward: number | null = 1,
  stopReason: StopReason = 'completed',
): EpisodeRecord {
  const trajectories = masks.map((mask): Trajectory => ({
    tokens: Int32Array.from(mask, (_, t) => t % 9),
    actionMask: Uint8Array.from(mask),
    logprobs: Float32Array.from(mask, (on, t) => (on ? -0.1 * (t + 1) : 0)),
    turns: [],
  }));
  return {
    ...{
      taskId: 'x',
      split: 'train',
      groupId: '0:0',
      promptIndex: 0,
      sampleIndex: 0,
      seed: 1,
      policyVersion: 3,
    },
    ...{ trajectories, reward, metrics: {}, stopReason, messages: [] },
  };
}

/** A critic that expects `value(t)` after token t. */
const critic = (value: (t: number) => number) => ({
  values: (sequences: readonly { readonly mask: ArrayLike<number> }[]) =>
    Promise.resolve(sequences.map(({ mask }) => Float32Array.from(mask, (on, t) => (on ? value(t) : 0)))),
});

describe('the advantages of ppo', () => {
  const judged = (
    records: readonly EpisodeRecord[],
    config: Partial<PPOConfig> = {},
    value: (t: number) => number = () => 0,
  ) => ppoEpisodes(records, { critic: critic(value), reference: undefined }, definePPOConfig(config), 3);
  const flat = (streams: readonly Float32Array[]): number[] => streams.flatMap((stream) => [...stream]);

  const masksArbitrary = fc.array(
    fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2, maxLength: 7 }).map((mask) => [0, ...mask]),
    { minLength: 1, maxLength: 3 },
  );

  it('with λ = 1 return what really followed, whatever the critic expected, and nothing at the environment’s tokens', async () => {
    await fc.assert(
      fc.asyncProperty(masksArbitrary, fc.integer({ min: -5, max: 5 }), async (masks, reward) => {
        fc.pre(masks.flat().includes(1));
        const gamma = 0.9;
        const [episode] = await judged(
          [episodeOf(masks, reward)],
          { lam: 1, gamma },
          (t) => 3 * Math.sin(7 * t),
        );
        const sampled = masks.flat().filter((on) => on === 1).length;
        let k = 0;
        const expected = masks.flat().map((on) => (on === 1 ? reward * gamma ** (sampled - 1 - k++) : 0));
        const returns = flat((episode?.rows ?? []).map((row) => row.returns));
        returns.forEach((value, t) => expect(value).toBeCloseTo(expected[t] as number, 4));
        expect(returns).toHaveLength(expected.length);
        episode?.rows.forEach(({ advantages }, n) =>
          advantages.forEach((advantage, t) => masks[n]?.[t] === 1 || expect(advantage).toBe(0)),
        );
      }),
    );
  });

  it('compare what followed with what the critic expected just before the token', async () => {
    const [episode] = await judged([episodeOf([[0, 0, 1, 0, 1]], 2)], { lam: 0, gamma: 0.5 }, (t) => t + 1);
    // before tokens 2 and 4 it had said 2 and 4: 2 + (0 + 0.5 · 4 − 2), and 2
    expect(episode?.rows[0]?.values).toEqual(Float32Array.of(0, 0, 2, 0, 4));
    expect(episode?.rows[0]?.returns).toEqual(Float32Array.of(0, 0, 2, 0, 2));
  });

  it('charge each token for its distance from the reference (k1)', async () => {
    const reference = {
      logprobs: () => Promise.resolve([Float32Array.of(0, -0.7, -0.1)]),
      close: () => undefined,
    };
    const config = definePPOConfig({ klCoef: 0.5, lam: 1 });
    const [episode] = await ppoEpisodes(
      [episodeOf([[0, 1, 1]], 1)],
      { critic: critic(() => 0), reference },
      config,
      3,
    );
    // log-ratios −0.2 + 0.7 and −0.3 + 0.1; score 1
    const [, first, last] = episode?.rows[0]?.returns as Float32Array;
    expect(last).toBeCloseTo(1 + 0.5 * 0.2, 6);
    expect(first).toBeCloseTo(1 + 0.5 * 0.2 - 0.5 * 0.5, 6);
  });

  it('pay each turn what the environment paid for it, and the end what is left of the score', async () => {
    const { trajectories, ...record } = episodeOf([[0, 1, 1, 0, 1]], 5);
    const turns = [
      { start: 1, end: 3, reward: 1 },
      { start: 4, end: 4, reward: 0.5 },
      { start: 4, end: 5, reward: 3 },
    ];
    const played = { ...record, trajectories: [{ ...(trajectories[0] as Trajectory), turns }] };
    const [episode] = await judged([played], { lam: 1 });
    // the empty turn has no token to pay, so its half is paid at the end, as is the half that no turn earned
    expect(episode?.rows[0]?.returns).toEqual(Float32Array.of(0, 5, 5, 0, 4));
    const [discounted] = await judged([played], { lam: 0 });
    expect(discounted?.rows[0]?.returns).toEqual(Float32Array.of(0, 0, 1, 0, 4));
  });

  it('know an episode that was stopped between turns from one that ended, or whose last reply was cut', async () => {
    const after = async (stopReason: StopReason, bootstrapTruncated = true): Promise<number> => {
      const config = { lam: 1, gamma: 0.5, bootstrapTruncated };
      const [episode] = await judged([episodeOf([[0, 1, 0]], 1, stopReason)], config, () => 8);
      return episode?.rows[0]?.returns[1] as number;
    };
    expect(await after('completed')).toBe(1);
    expect(await after('parse_error')).toBe(1);
    expect(await after('max_tokens')).toBe(1);
    expect(await after('max_turns')).toBe(1 + 0.5 * 8);
    expect(await after('max_turns', false)).toBe(1);
  });

  it('are whitened over the step, as are the rewards on request', async () => {
    const records = [episodeOf([[0, 1]], 100), episodeOf([[0, 1]], 300)];
    const plain = await judged(records);
    expect(plain.map(({ rows }) => rows[0]?.advantages[1])).toEqual(
      [-1, 1].map((sign) => expect.closeTo(sign / Math.SQRT2, 5) as number),
    );
    const white = await judged(records, { whitenRewards: true });
    const returns = white.map(({ rows }) => rows[0]?.returns[1] as number);
    expect((returns[1] as number) - (returns[0] as number)).toBeCloseTo(Math.SQRT2, 3);
    expect(returns[0]).toBeGreaterThan(100);
  });

  it('leave out what cannot be judged, and refuse what another policy sampled', async () => {
    expect(await judged([episodeOf([], null, 'context_overflow'), episodeOf([[0, 1]], null)])).toEqual([]);
    const stale = { ...episodeOf([[0, 1]]), policyVersion: 2 };
    await expect(judged([stale])).rejects.toThrow(StaleSampleError);
  });

  it('become the data of both: the critic answers for token t after token t − 1, and neither for the environment', async () => {
    const episodes = await judged([episodeOf([[0, 1, 0, 1]], 1), episodeOf([[0, 0, 1]], 0)], {}, (t) => t);
    const rows = episodes.flatMap((episode) => episode.rows);
    const { policy, critic: steps } = ppoData(rows, { vfCoef: 0.5 });
    const third = expect.closeTo(1 / 3, 6) as number;
    const sixth = expect.closeTo(1 / 6, 6) as number;
    expect(policy.data.map(({ weights }) => [...weights])).toEqual([
      [0, third, 0, third],
      [0, 0, third],
    ]);
    expect(steps.map(({ weights }) => [...weights])).toEqual([
      [sixth, 0, sixth, 0],
      [0, sixth, 0],
    ]);
    expect(steps.map(({ oldValues }) => [...(oldValues as Float32Array)])).toEqual([
      [0, 0, 2, 0],
      [0, 1, 0],
    ]);
    rows.forEach(({ returns }, n) =>
      returns.forEach((value, t) => t > 0 && expect(steps[n]?.returns?.[t - 1]).toBe(value)),
    );
    expect(policy.data[0]?.oldLogprobs).toBe(rows[0]?.trajectory.logprobs);
  });
});
