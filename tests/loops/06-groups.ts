/**
 * Groups (Shao et al. 2024, arXiv 2402.03300): a reply competes with other replies to the same prompt, and no critic is needed.
 * A hard prompt no longer makes its replies look bad, and, divided by the deviation, all groups have the same spread.
 */
import * as tf from '@tensorflow/tfjs-core';
import { cloneModel, disposeModel, sequenceLogprobs } from 'posttrain/model';
import { type Attempt, attempt, descend, type Loop, mean, perToken, std, whenSampled } from './world.js';

const promptsPerStep = 4;
const numGenerations = 4;
const numIterations = 2;
const epsilon = 0.2;
const beta = 0.04;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  const reference = cloneModel(model);
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: numGenerations };
    const groups = await attempt(model, world, tries);
    const samples = groups.flat();
    const advantages = groups.flatMap(relativeToGroup);

    for (let iteration = 0; iteration < numIterations; iteration += 1) {
      descend(model, optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilon);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        const d = tf.sub(sequenceLogprobs(reference, samples).logprobs, logprobs);
        const penalty = tf.mul(tf.sub(tf.sub(tf.exp(d), d), 1), beta);
        return tf.div(tf.sum(tf.add(loss, penalty)), samples.length * world.maxCompletionLength);
      });
    }
  }
  disposeModel(reference);
};

/** How far above the mean of its group each reward is, in standard deviations. */
function relativeToGroup(group: readonly Attempt[]): number[] {
  const rewards = group.map(({ reward }) => reward);
  const scale = std(rewards) + 1e-4;
  return rewards.map((reward) => (reward - mean(rewards)) / scale);
}
