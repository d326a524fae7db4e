import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { divergences } from 'posttrain/recipes/trainers/divergences';
import { measured } from 'posttrain/recipes/trainers/measurements';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('divergences', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: forward KL covers, reverse KL chooses, in every seed', () => {
    expect(refuted(recordOf(divergences))).toEqual([]);
  });

  it('recorded: reverse KL found both modes, and Jensen–Shannon stayed in a minimum that is not its lowest', () => {
    const record = recordOf(divergences);
    const distances = measured(record, 'reverse KL', 'jensenShannon').values;
    expect(new Set(distances.map((distance) => distance.toFixed(2)))).toEqual(new Set(['0.19', '0.24']));
    expect(meanOf(record, 'Jensen–Shannon', 'jensenShannon')).toBeGreaterThan(Math.min(...distances));
  });

  it('shows the same in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(divergences, [1, 2]);
    expect(divergences.claims(results).every(({ holds }) => holds)).toBe(true);
    // each descends its own divergence further than the other does
    expect(meanOf(results, 'forward KL', 'forward')).toBeLessThan(meanOf(results, 'reverse KL', 'forward'));
    expect(meanOf(results, 'reverse KL', 'reverse')).toBeLessThan(meanOf(results, 'forward KL', 'reverse'));
    expect(tf.memory().numTensors).toBe(before);
  });
});
