/**
 * DAPO's clip-higher (arXiv 2503.14476, eq. 10): more room above than below.
 * With one range, a token of probability 0.01 may grow to 0.012 at most, and the policy stops exploring.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { type Attempt, attempt, descend, type Loop, mean, perToken, std, whenSampled } from './world.js';

const promptsPerStep = 4;
const numGenerations = 4;
const numIterations = 2;
const epsilon = 0.2;
const epsilonHigh = 0.28;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: numGenerations };
    const groups = await attempt(model, world, tries);
    const samples = groups.flat();
    const advantages = groups.flatMap(relativeToGroup);
    const shares = samples.map(({ length }) => 1 / (samples.length * length));

    for (let iteration = 0; iteration < numIterations; iteration += 1) {
      descend(model, optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilonHigh);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        return tf.sum(tf.mul(loss, perToken(samples, shares)));
      });
    }
  }
};

/** How far above the mean of its group each reward is, in standard deviations. */
function relativeToGroup(group: readonly Attempt[]): number[] {
  const rewards = group.map(({ reward }) => reward);
  const scale = std(rewards) + 1e-4;
  return rewards.map((reward) => (reward - mean(rewards)) / scale);
}
