import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { creditAssignment } from 'posttrain/recipes/trainers/credit-assignment';
import { measured } from 'posttrain/recipes/trainers/measurements';
import {
  episodeCredit,
  ofTrajectories,
  turnCredit,
  type TurnRewards,
} from 'posttrain/recipes/trainers/turn-credit';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

const turn = { start: 1, end: 2, reward: 0 };
const trajectory = (turns: number): TurnRewards['trajectories'][number] => ({
  tokens: new Int32Array(3),
  actionMask: new Uint8Array(3),
  logprobs: new Float32Array(3),
  turns: Array.from({ length: turns }, () => turn),
});
const episode = (...rewards: readonly number[]): TurnRewards => ({
  trajectories: [trajectory(rewards.length)],
  rewards,
});

describe('credit of turns', () => {
  it('GRPO: the same for each, by what the episode was worth', async () => {
    expect(await episodeCredit([[episode(0, 1), episode(0, 0)]])).toEqual([
      [
        [0.5, 0.5],
        [-0.5, -0.5],
      ],
    ]);
  });

  it('turn-level: each turn by its own reward, or by all that follow', async () => {
    const group = [[episode(1, 0), episode(0, 0)]];
    expect(await turnCredit(0)(group)).toEqual([
      [
        [0.5, 0],
        [-0.5, 0],
      ],
    ]);
    const late = [[episode(0, 1), episode(0, 0)]];
    expect(await turnCredit(1)(late)).toEqual(await episodeCredit(late));
  });

  it('is cut where an episode’s tokens are', () => {
    const split = { trajectories: [trajectory(2), trajectory(1)], rewards: [0, 0, 1] };
    expect(ofTrajectories(split, [7, 8, 9]).map(({ values }) => values)).toEqual([[7, 8], [9]]);
  });
});

describe('credit-assignment', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: a process reward finds the turn; a young critic does so less than was expected', () => {
    const record = recordOf(creditAssignment);
    expect(refuted(record)).toEqual([
      'PPO, λ 0.95: three times as much on the decisive turn as on another, every seed',
      'PPO, λ 0: three times as much on the decisive turn as on another, every seed',
      'PPO, λ 0.95 solves the task from fewer episodes than GRPO, every seed',
      'PPO, λ 0 solves the task from fewer episodes than GRPO, every seed',
    ]);
    // what the remarks say
    expect(measured(record, 'PPO, λ 0.95', 'after').max).toBeLessThan(0.5);
    expect(meanOf(record, 'PPO, λ 0.95', 'before')).toBeCloseTo(0.95, 1);
    const alone = record.settings as { readonly criticWarmupSteps: number; readonly numGenerations: number };
    expect(alone.criticWarmupSteps * alone.numGenerations).toBe(160);
    const grpo = measured(record, 'GRPO', 'episodes').values;
    expect(
      meanOf(record, 'GRPO', 'episodes') / meanOf(record, 'turn-level, process', 'episodes'),
    ).toBeCloseTo(1.25, 1);
    for (const [seed, episodes] of measured(record, 'PPO, λ 0.95', 'episodes').values.entries())
      expect(episodes - 160).toBeLessThanOrEqual(grpo[seed] as number);
  });

  it('shows the same directions in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(creditAssignment, [1]);
    expect(meanOf(results, 'GRPO', 'share')).toBeCloseTo(1 / 6, 1);
    expect(meanOf(results, 'turn-level, process', 'share')).toBe(1);
    expect(meanOf(results, 'PPO, λ 0', 'before')).toBeLessThan(meanOf(results, 'PPO, λ 0.95', 'before'));
    expect(meanOf(results, 'turn-level, process', 'success')).toBeGreaterThan(0.5);
    expect(tf.memory().numTensors).toBe(before);
  });
});
