import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rlhf } from 'posttrain/recipes/trainers/rlhf/rlhf';
import { measured } from 'posttrain/recipes/trainers/measurements';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('rlhf', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: without a price the proxy rises and the gold reward falls after its peak; some price keeps it, in every seed', () => {
    expect(refuted(recordOf(rlhf))).toEqual([]);
  });

  it('recorded: the higher the price, the nearer PPO stays', () => {
    const record = recordOf(rlhf);
    const distances = [0, 0.01, 0.05, 0.2].map((klCoef) => meanOf(record, `PPO, β = ${klCoef}`, 'kl'));
    expect(distances).toEqual(distances.toSorted((a, b) => b - a));
  });

  it('recorded: the reward model takes eight courtesies to be as good as two', () => {
    const { proxy = [], gold = [] } = recordOf(rlhf).curves['courtesies'] ?? {};
    expect(proxy[8]?.y).toBeGreaterThan(0.9 * (proxy[2]?.y ?? NaN));
    expect(gold[8]?.y).toBeLessThan((gold[2]?.y ?? NaN) - 1);
  });

  it('climbs the reward model in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(rlhf, [1]);
    expect(meanOf(results, 'PPO, β = 0', 'proxy')).toBeGreaterThan(
      meanOf(results, 'first policy', 'proxy') + 0.1,
    );
    expect(meanOf(results, 'PPO, β = 0', 'kl')).toBeGreaterThan(meanOf(results, 'PPO, β = 0.2', 'kl'));
    const best = results.curves['best of n']?.['proxy']?.map(({ y }) => y) ?? [];
    expect(best).toEqual(best.toSorted((a, b) => a - b));
    expect(measured(results, 'PPO, β = 0', 'peak').values).toHaveLength(1);
    expect(tf.memory().numTensors).toBe(before);
  });
});
