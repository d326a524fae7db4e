import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ScalarDatum } from 'posttrain/engine';
import type { Task } from 'posttrain/envs/types';
import { creditAssignment } from 'posttrain/recipes/trainers/credit-assignment';
import { measured } from 'posttrain/recipes/trainers/measurements';
import {
  criticCredit,
  type CriticOptions,
  groupCredit,
  ofTrajectories,
} from 'posttrain/recipes/trainers/turn-credit';
import type { EpisodeGroup, Trajectory } from 'posttrain/rollout';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

type Episode = EpisodeGroup<Task>['episodes'][number];

/** An episode of turns of one token each, which were paid so much. */
const episode = (...rewards: readonly number[]): Episode => ({
  ...{ taskId: 't', split: 'train', groupId: 'g', promptIndex: 0, sampleIndex: 0, seed: 1, policyVersion: 0 },
  ...{ metrics: {}, stopReason: 'completed', messages: [] },
  trajectories: [trajectory(rewards)],
  reward: rewards.reduce((sum, reward) => sum + reward, 0),
});
const trajectory = (rewards: readonly number[]): Trajectory => ({
  tokens: new Int32Array(rewards.length + 1),
  actionMask: new Uint8Array(rewards.length + 1).fill(1, 1),
  logprobs: new Float32Array(rewards.length + 1),
  turns: rewards.map((reward, turn) => ({ start: turn + 1, end: turn + 2, reward })),
});
const groupOf = (...episodes: readonly Episode[]): EpisodeGroup<Task>[] => [
  { task: { id: 't', split: 'train' }, groupId: 'g', episodes },
];

/** Thinks that each token's value is its position, and remembers what it was taught. */
function scriptedCritic(): CriticOptions['critic'] & { readonly taught: (readonly ScalarDatum[])[] } {
  const taught: (readonly ScalarDatum[])[] = [];
  const critic = {
    taught,
    values: async (sequences: readonly { readonly tokens: Int32Array }[]) =>
      sequences.map(({ tokens }) => Float32Array.from(tokens, (_, t) => t / 10)),
    forwardBackward: async (data: readonly ScalarDatum[]) => {
      taught.push(data);
      return { loss: 0, values: [] };
    },
    optimStep: async () => ({ gradNorm: 0, stepped: true }),
  };
  return critic as unknown as ReturnType<typeof scriptedCritic>;
}

const closeTo = (...values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));

describe('credit of turns', () => {
  it('GRPO: the same for each, by what the episode was worth', async () => {
    expect(await groupCredit()(groupOf(episode(0, 1), episode(0, 0)))).toEqual([
      [
        [0.5, 0.5],
        [-0.5, -0.5],
      ],
    ]);
  });

  it('turn-level: each turn by its own reward, or by all that follow', async () => {
    const turns = (gamma: number) => groupCredit({ advantageLevel: 'turn', gamma });
    expect(await turns(0)(groupOf(episode(1, 0), episode(0, 0)))).toEqual([
      [
        [0.5, 0],
        [-0.5, 0],
      ],
    ]);
    const late = groupOf(episode(0, 1), episode(0, 0));
    expect(await turns(1)(late)).toEqual(await groupCredit()(late));
  });

  it('PPO: by what the critic expected before and after the turn, or by all that came; it learns by a λ of its own', async () => {
    const taught = async (lam: number, criticLam: number) => {
      const critic = scriptedCritic();
      const credit = criticCredit({ critic, lam, criticLam, learningRate: 1, epochs: 2 });
      const [advantages] = await credit(groupOf(episode(0, 1)));
      expect(critic.taught).toHaveLength(2);
      const [datum] = critic.taught[0] as readonly ScalarDatum[];
      expect([...(datum as ScalarDatum).weights]).toEqual([0.5, 0.5, 0]);
      return { advantages: advantages?.[0], returns: [...(datum?.returns as Float32Array)] };
    };
    // V = 0 before the first turn, 0.1 before the second
    expect(await taught(0, 1)).toEqual({ advantages: closeTo(0.1, 0.9), returns: closeTo(1, 1, 0) });
    expect(await taught(1, 0)).toEqual({ advantages: closeTo(1, 0.9), returns: closeTo(0.1, 1, 0) });
  });

  it('is cut where an episode’s tokens are', () => {
    const split = { trajectories: [trajectory([0, 0]), trajectory([1])] };
    expect(ofTrajectories(split, [7, 8, 9]).map(({ values }) => values)).toEqual([[7, 8], [9]]);
  });
});

describe('credit-assignment', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: a process reward finds the turn, and a critic that learns from what came; it is not faster in every seed', () => {
    const record = recordOf(creditAssignment);
    expect(refuted(record)).toEqual([
      'PPO, λ 0.95: three times as much on the decisive turn as on another, every seed',
      'PPO, λ 0.95 solves the task from fewer episodes than GRPO, every seed',
      'PPO, λ 0 solves the task from fewer episodes than GRPO, every seed',
    ]);
    // half of all credit: three times an even share
    expect(measured(record, 'PPO, λ 0', 'share').min).toBeGreaterThan(0.5);
    // what the remarks say
    expect(1 / (1 + 0.95)).toBeCloseTo(0.51, 2);
    expect(meanOf(record, 'PPO, λ 0.95', 'before')).toBeCloseTo(0.95, 1);
    const grpo = measured(record, 'GRPO', 'episodes').values;
    expect(
      meanOf(record, 'GRPO', 'episodes') / meanOf(record, 'turn-level, process', 'episodes'),
    ).toBeCloseTo(1.25, 1);
    for (const arm of ['PPO, λ 0.95', 'PPO, λ 0'])
      for (const [seed, episodes] of measured(record, arm, 'episodes').values.entries())
        expect(episodes).toBeLessThanOrEqual(grpo[seed] as number);
  });

  it('shows the same directions in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(creditAssignment, [1]);
    expect(meanOf(results, 'GRPO', 'share')).toBeCloseTo(1 / 6, 1);
    expect(meanOf(results, 'turn-level, process', 'share')).toBe(1);
    expect(meanOf(results, 'PPO, λ 0', 'before')).toBeLessThan(meanOf(results, 'PPO, λ 0.95', 'before'));
    expect(meanOf(results, 'PPO, λ 0', 'share')).toBeGreaterThan(0.3);
    expect(meanOf(results, 'turn-level, process', 'success')).toBeGreaterThan(0.5);
    expect(tf.memory().numTensors).toBe(before);
  });
});
