import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rewardModel } from 'posttrain/recipes/trainers/rlhf/reward-model';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('reward-model', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: few pairs stay far below the ceiling, many reach it within 3 points, and a constant is free', () => {
    expect(refuted(recordOf(rewardModel))).toEqual([]);
  });

  it('recorded: more pairs agree better, never above the ceiling by more than chance', () => {
    const record = recordOf(rewardModel);
    const gaps = ['200 pairs', '2000 pairs', '32000 pairs'].map((arm) => meanOf(record, arm, 'gap'));
    expect(gaps[1]).toBeLessThan(gaps[0] as number);
    expect(gaps[2]).toBeLessThan(gaps[1] as number);
    expect(gaps[2]).toBeGreaterThan(0);
    // what was counted on the labels is within two standard errors of its expectation
    for (const arm of Object.keys(record.arms).filter((name) => name.includes('pairs'))) {
      const ceiling = meanOf(record, 'gold reward', 'labels');
      expect(Math.abs(ceiling - meanOf(record, arm, 'labels') - meanOf(record, arm, 'gap'))).toBeLessThan(
        0.02,
      );
    }
  });

  it('shows the same direction in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(rewardModel, [1]);
    expect(meanOf(results, '1200 pairs', 'gold')).toBeGreaterThan(0.6);
    expect(meanOf(results, '1200 pairs', 'gold')).toBeGreaterThan(meanOf(results, '60 pairs', 'gold'));
    const scores = ['1200 pairs', '1200 pairs, centred'].map((arm) => meanOf(results, arm, 'meanScore'));
    expect(Math.abs(scores[1] as number)).toBeLessThan(Math.abs(scores[0] as number));
    expect(tf.memory().numTensors).toBe(before);
  });
});
