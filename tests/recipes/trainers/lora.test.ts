import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { knownRules, letterEnvironment, letterTasks, newRule } from 'posttrain/recipes/trainers/letter-rules';
import { lora } from 'posttrain/recipes/trainers/lora';
import { measured } from 'posttrain/recipes/trainers/measurements';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('the letter rules', () => {
  it('change four letters', () => {
    expect(knownRules['<']('abch')).toBe('hcba');
    expect(knownRules['+']('abch')).toBe('bcda');
    expect(newRule('abch')).toBe('cfed');
  });

  it('pay letters in their places', () => {
    const task = { id: '', split: '', request: '<abcd', answer: 'dcba' };
    const pay = (reply: string): number => letterEnvironment.start(task).step(reply).reward;
    expect([pay('dcba'), pay('dcxx'), pay(''), pay('abcd')]).toEqual([1, 0.5, 0, 0]);
  });

  it('have splits of their own, the same again for the same seed', () => {
    const of = (split: string): string[] =>
      letterTasks({ sign: '!', rule: newRule, split, seed: 1 }, 5).map(({ request }) => request);
    expect(of('train')).toEqual(of('train'));
    expect(of('train')).not.toEqual(of('held-out'));
  });
});

describe('lora', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: capacity counts in SFT; the learning rate rule holds for RL alone, and rank 1 lags behind there', () => {
    const record = recordOf(lora);
    expect(refuted(record)).toEqual([
      'SFT: the best learning rate of LoRA is 3 to 30 times that of full fine-tuning, every seed',
      'RL: rank 1 comes within 5 points of full fine-tuning',
    ]);
    // what the remarks say
    const [one, full] = ['RL, rank 1', 'RL, full'].map((arm) => measured(record, arm, 'reward').values);
    const behind = (full ?? []).map((reward, seed) => Math.round(100 * (reward - (one?.[seed] as number))));
    expect(behind.toSorted((a, b) => a - b)).toEqual([0, 9, 11]);
    expect(meanOf(record, 'RL, rank 16', 'reward')).toBeGreaterThan(meanOf(record, 'RL, rank 1', 'reward'));
    expect(measured(record, 'SFT, rank 16', 'learningRate').values).toEqual(
      measured(record, 'SFT, full', 'learningRate').values,
    );
    expect(meanOf(record, 'RL, rank 1', 'trained')).toBeLessThan(
      0.03 * meanOf(record, 'RL, full', 'trained'),
    );
  });

  it('shows the same directions in its short form, and frees what it used', async () => {
    const before = tf.memory().numTensors;
    const results = await quickRun(lora, [1]);
    expect(meanOf(results, 'SFT, rank 16', 'loss')).toBeLessThan(meanOf(results, 'SFT, rank 1', 'loss'));
    expect(meanOf(results, 'SFT, full', 'loss')).toBeLessThan(meanOf(results, 'SFT, rank 1', 'loss'));
    expect(meanOf(results, 'SFT, rank 16', 'merged')).toBeLessThan(1e-4);
    expect(meanOf(results, 'RL, rank 1', 'trained')).toBe(meanOf(results, 'SFT, rank 1', 'trained'));
    expect(tf.memory().numTensors).toBe(before);
  });
});
