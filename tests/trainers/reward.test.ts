import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ScalarEngine } from 'posttrain/engine';
import { type EpisodeRecord, judgeEpisodes, rewardFromModel } from 'posttrain/rollout';
import { initBackend, randomStream } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  grpo,
  type PreferenceRow,
  reward,
  type RewardConfig,
  type RewardOptions,
  type RewardState,
  type RewardStep,
  rft,
} from 'posttrain/trainers';
import { letterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { testedBackends } from '../tensor/backends.js';
import { collect, interruptedRun, liveTensors, straightRun, withEngine, withScalarEngine } from './runs.js';

const prompt = (request: string): Int32Array =>
  renderPrompt(letterTokenizer, [{ role: 'user', content: request }]);
const reply = (text: string): Int32Array => renderCompletion(letterTokenizer, text);
const row = (request: string, chosen: string, rejected: string): PreferenceRow => ({
  prompt: prompt(request),
  chosen: reply(chosen),
  rejected: reply(rejected),
});
/** The more letters a the better. */
const rows = [
  row('a', 'aa', 'bcd'),
  row('b', 'aaa', 'ca'),
  row('c', 'ba', 'dd'),
  row('d', 'aaaa', 'eaf'),
  row('e', 'aa', 'fga'),
  row('f', 'baa', 'ab'),
];
/** Random replies, of which the one with more letters a is preferred. */
const random = randomStream(5, 'pairs');
const many = Array.from({ length: 60 }, () => {
  const text = (as: number): string =>
    random
      .shuffle([...'a'.repeat(as), ...Array.from({ length: 4 - as }, () => random.pick([...'bcdef']))])
      .join('');
  const fewer = random.int(3);
  return row(random.pick([...'abcdefg']), text(fewer + 1 + random.int(4 - fewer)), text(fewer));
});
const small: Partial<RewardConfig> = { batchSize: 2, maxSteps: 5, learningRate: 0.01, seed: 9 };
const run = (options: RewardOptions): Promise<RewardStep[]> => collect(reward(options));
/** Share of pairs whose preferred reply scores higher. */
async function accuracy(engine: ScalarEngine, pairs: readonly PreferenceRow[]): Promise<number> {
  const whole = (side: 'chosen' | 'rejected'): Int32Array[] =>
    pairs.map((pair) => Int32Array.of(...pair.prompt, ...pair[side]));
  const [chosen, rejected] = [await engine.scores(whole('chosen')), await engine.scores(whole('rejected'))];
  return chosen.filter((score, n) => score > (rejected[n] as number)).length / pairs.length;
}

describe.each(testedBackends)('reward on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('starts at ln 2, ties counting as wrong, and reports by the names of TRL', () =>
    withScalarEngine(async (engine) => {
      const [step] = await run({ engine, rows, config: { ...small, batchSize: 6, maxSteps: 1 } });
      const { metrics } = step as RewardStep;
      expect(metrics['loss']).toBeCloseTo(Math.LN2, 6);
      expect(metrics).toMatchObject({ accuracy: 0, margin: 0, min_reward: 0, mean_reward: 0, max_reward: 0 });
      expect(metrics['grad_norm']).toBeGreaterThan(1e-3);
      const names = [
        'loss',
        'accuracy',
        'margin',
        'min_reward',
        'mean_reward',
        'max_reward',
        'truncated_rows',
      ];
      const common = ['grad_norm', 'learning_rate', 'num_tokens', 'epoch', 'step_skipped'];
      expect(Object.keys(metrics).sort()).toEqual([...names, ...common].sort());
    }));

  it('goes on bit-identically after it was stopped', async () => {
    const config = { ...small, centerRewardsCoefficient: 0.01 };
    const start = (engine: ScalarEngine, signal?: AbortSignal) => reward({ engine, rows, config, signal });
    const straight = await straightRun<RewardState, ScalarEngine>(start, withScalarEngine);
    const interrupted = await interruptedRun<RewardState, ScalarEngine>(
      start,
      (engine, state) => run({ engine, rows, config, state }),
      withScalarEngine,
    );
    expect(straight.metrics).toHaveLength(5);
    expect(interrupted).toEqual(straight);
  });

  it('keeps the number of tensors constant', () =>
    withScalarEngine(async (engine) => {
      const before = tf.memory().numTensors;
      const counts = await liveTensors(reward({ engine, rows, config: { ...small, maxSteps: 3 } }));
      expect(counts).toHaveLength(3);
      expect(new Set(counts).size).toBe(1);
      engine.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }));
});

describe('a reward model', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('learns what is preferred, also in pairs that it was not shown', () =>
    withScalarEngine(async (engine) => {
      const config = { batchSize: 10, maxSteps: 60, learningRate: 0.01 };
      const steps = await run({ engine, rows: many.slice(0, 40), config });
      expect(steps.at(-1)?.metrics['loss']).toBeLessThan(0.2);
      expect(steps.at(-1)?.metrics['margin']).toBeGreaterThan(2);
      expect(await accuracy(engine, many.slice(40))).toBeGreaterThanOrEqual(0.85);
    }));

  it('is drawn to 0 by centering', async () => {
    const scores = (centerRewardsCoefficient: number | null): Promise<number[]> =>
      withScalarEngine(async (engine) => {
        const state = await engine.save();
        const head = { shape: [1, 16], data: Float32Array.from({ length: 16 }, (_, i) => (i % 2 ? 1 : -1)) };
        await engine.load({ ...state, weights: new Map(state.weights).set('score.weight', head) });
        const config = { batchSize: 6, maxSteps: 30, learningRate: 0.003, centerRewardsCoefficient };
        return (await run({ engine, rows, config })).map(({ metrics }) => metrics['mean_reward'] as number);
      });
    const [free, centered] = [await scores(null), await scores(0.3)];
    expect(free[0]).toBeGreaterThan(2);
    expect(Math.abs(centered.at(-1) as number)).toBeLessThan(0.2 * Math.abs(free.at(-1) as number));
  });

  it('counts what it cuts, and refuses pairs of equal replies', () =>
    withScalarEngine(async (engine) => {
      const config = { batchSize: 6, maxSteps: 1, maxLength: 6 };
      // of the six pairs one has no reply of more than two letters
      expect((await run({ engine, rows, config }))[0]?.metrics['truncated_rows']).toBe(5);
      await expect(run({ engine, rows: [row('a', 'b', 'b')], config })).rejects.toThrow(/Row 0: .*the same/);
    }));

  it('judges the episodes of the trainers, and what the environment says is still reported', () =>
    withScalarEngine((engine) =>
      withEngine(async (policy) => {
        await run({ engine, rows, config: { batchSize: 6, maxSteps: 20, learningRate: 0.01 } });
        const options = {
          engine: policy,
          tokenizer: letterTokenizer,
          env: letterWorld(shareOfA),
          tasks: [letterTask('a', 'a'), letterTask('b', 'b')],
          rewardFunction: rewardFromModel(engine),
        };
        const config = { promptsPerStep: 2, numGenerations: 4, maxCompletionLength: 6, maxSteps: 1 };
        const [step] = await collect(grpo({ ...options, config: { ...config, maxClippedRatio: 1 } }));
        const [round] = await collect(rft({ ...options, config: { ...config, rewardThreshold: -100 } }));
        for (const { metrics } of [step, round] as { metrics: Readonly<Record<string, number>> }[]) {
          expect(metrics['rewards/environment/mean']).toBeGreaterThanOrEqual(0);
          expect(metrics['reward']).not.toBe(metrics['rewards/environment/mean']);
        }
        for (const { trajectories, reward } of round?.episodes ?? []) {
          const [score] = await engine.scores([trajectories[0]?.tokens as Int32Array]);
          expect(score).toBeCloseTo(reward as number, 5);
        }
      }),
    ));
});

describe('judgeEpisodes', () => {
  const episode = (taskId: string, tokens: number[], reward: number | null): EpisodeRecord => ({
    taskId,
    split: 'train',
    groupId: '0:0',
    promptIndex: 0,
    sampleIndex: 0,
    seed: 1,
    policyVersion: 0,
    reward,
    metrics: { success: 1 },
    stopReason: 'completed',
    messages: [],
    trajectories:
      tokens.length === 0
        ? []
        : [
            {
              tokens: Int32Array.from(tokens),
              actionMask: new Uint8Array(tokens.length),
              logprobs: new Float32Array(tokens.length),
              turns: [{ start: 0, end: tokens.length, reward: reward ?? 0 }],
            },
          ],
  });
  const groups = [
    { task: 'x', groupId: '0:0', episodes: [episode('x', [1, 2], 0.5), episode('x', [], null)] },
    { task: 'y', groupId: '0:1', episodes: [episode('y', [3], -1)] },
  ];

  it('gives every episode its own reward, null where nothing was sampled', async () => {
    const scores = (sequences: readonly Int32Array[]): Promise<number[]> =>
      Promise.resolve(sequences.map((tokens) => tokens.reduce((sum, token) => sum + token, 0)));
    const judged = await judgeEpisodes(groups, rewardFromModel({ scores }));
    expect(judged.map(({ episodes }) => episodes.map(({ reward }) => reward))).toEqual([[3, null], [3]]);
    const turns = judged.flatMap(({ episodes }) =>
      episodes.flatMap((each) => each.trajectories[0]?.turns ?? []),
    );
    expect(turns.map(({ reward }) => reward)).toEqual([0, 0]);
    expect(judged.flatMap(({ episodes }) => episodes.map(({ metrics }) => metrics))).toEqual([
      { success: 1, environment: 0.5 },
      { success: 1 },
      { success: 1, environment: -1 },
    ]);
  });

  it.each([[[1, NaN, 2]], [[1]]])('refuses the rewards %j', async (rewards) => {
    await expect(judgeEpisodes(groups, () => Promise.resolve(rewards))).rejects.toThrow(
      /an episode of task x the reward (NaN|undefined), expected a finite number, or null/,
    );
  });
});
