import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { measured } from 'posttrain/recipes/trainers/measurements';
import { preferences } from 'posttrain/recipes/trainers/rlhf/preferences';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('preferences', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: what was expected, in every seed', () => {
    expect(refuted(recordOf(preferences))).toEqual([]);
  });

  it('recorded: sampling anew finds nothing that the judge was not told of', () => {
    const record = recordOf(preferences);
    const onProxy = 'GRPO on a reward model';
    expect(Math.max(...measured(record, onProxy, 'reason').values)).toBeLessThan(0.05);
    expect(meanOf(record, onProxy, 'gold')).toBeLessThan(meanOf(record, 'first policy', 'gold'));
  });

  it('starts at ln 2 and goes the same ways in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(preferences, [1]);
    expect(meanOf(results, 'DPO', 'firstLoss')).toBeCloseTo(Math.LN2, 5);
    expect(meanOf(results, 'DPO', 'order')).toBeGreaterThan(0.6);
    expect(meanOf(results, 'DPO', 'chosenShift')).toBeGreaterThan(meanOf(results, 'DPO', 'rejectedShift'));
    const gold = (arm: string): number => meanOf(results, arm, 'gold');
    for (const arm of ['DPO', 'KTO', 'GRPO on the gold reward'])
      expect(gold(arm)).toBeGreaterThan(gold('first policy'));
    expect(tf.memory().numTensors).toBe(before);
  });
});
