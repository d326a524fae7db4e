import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { exactGradient, expectation, LIMITS, policyTree } from 'posttrain/recipes/trainers/bandit';
import { allReplies } from 'posttrain/recipes/trainers/reply-tree';
import { varianceLadder } from 'posttrain/recipes/trainers/variance-ladder';
import { initBackend } from 'posttrain/tensor';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('all replies', () => {
  it('are as many as there are ways to stop or be cut: 1 + 2 + 4 + 8 · 3', () => {
    expect(allReplies(LIMITS)).toHaveLength(31);
  });
});

describe('variance-ladder', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
  });

  it('recorded: all but one claim hold, and that one the other way round', () => {
    const record = recordOf(varianceLadder);
    expect(refuted(record)).toEqual(['variance: REINFORCE > mean of the batch > RLOO, rewards 0 or 1']);
    expect(meanOf(record, 'RLOO', 'variance')).toBeGreaterThan(
      meanOf(record, '− mean of the batch', 'variance'),
    );
  });

  it('knows every reply: probabilities add up to 1, and their scores to nothing', async () => {
    const before = tf.memory().numTensors;
    const tree = await policyTree(1, 20);
    for (const replies of tree.replies)
      expect(replies.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 5);
    const score = expectation(tree, () => 1);
    const exact = exactGradient(tree);
    expect(tree.product(score, score)).toBeLessThan(1e-6 * tree.product(exact, exact));
    expect(tf.memory().numTensors).toBe(before);
  });

  it('shows the same directions in its short form', async () => {
    const results = await quickRun(varianceLadder, [1]);
    expect(meanOf(results, 'REINFORCE', 'variance')).toBeGreaterThan(meanOf(results, 'RLOO', 'variance'));
    expect(meanOf(results, 'RLOO', 'variance')).toBeCloseTo(meanOf(results, 'Dr. GRPO', 'variance'), 4);
    expect(meanOf(results, '− mean of the batch', 'varianceOfMarks')).toBeGreaterThan(
      meanOf(results, 'RLOO', 'varianceOfMarks'),
    );
    expect(meanOf(results, 'Dr. GRPO', 'scale') / meanOf(results, 'RLOO', 'scale')).toBeCloseTo(7 / 8, 3);
    for (const arm of ['REINFORCE', '− mean of the batch', 'RLOO', 'Dr. GRPO'])
      expect(meanOf(results, arm, 'bias')).toBeLessThan(3);
    expect(meanOf(results, 'Dr. GRPO / length', 'bias')).toBeGreaterThan(3);
    expect(meanOf(results, 'Dr. GRPO / length', 'wrongLength')).toBeGreaterThan(
      meanOf(results, 'Dr. GRPO', 'wrongLength'),
    );
  });
});
