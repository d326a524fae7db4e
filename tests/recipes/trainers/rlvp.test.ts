import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rlvpExperiment } from 'posttrain/recipes/trainers/rlvp';
import { measured } from 'posttrain/recipes/trainers/measurements';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('rlvp', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: an outcome teaches the bad habit, penalties unlearn it; at the paper’s price two seeds unlearn the door too', () => {
    const record = recordOf(rlvpExperiment);
    expect(refuted(record)).toEqual([
      'at the success of the outcome reward, within 3 points, at the paper’s λ too',
      'charged to the turn violations fall from fewer episodes than folded into the outcome alone, every seed',
    ]);
    // what the remarks say
    expect(meanOf(record, 'before', 'violations')).toBeCloseTo(1.4, 1);
    expect(meanOf(record, 'outcome alone', 'violations')).toBeCloseTo(2, 1);
    expect(measured(record, 'both', 'success').values.filter((share) => share < 0.1)).toHaveLength(2);
  });

  it('shows the same directions in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(rlvpExperiment, [1]);
    const violations = (arm: string): number => meanOf(results, arm, 'violations');
    expect(violations('both, λ 0.1')).toBeLessThan(violations('outcome alone') / 2);
    expect(meanOf(results, 'both, λ 0.1', 'success')).toBeGreaterThan(0.5);
    expect(tf.memory().numTensors).toBe(before);
  });
});
