/**
 * A penalty for leaving home: a reward is never all that matters, and what the policy could do before is worth keeping.
 * The distance from the initial policy is estimated token by token by k3 (Schulman 2020), which is never negative.
 */
import * as tf from '@tensorflow/tfjs-core';
import { cloneModel, disposeModel, sequenceLogprobs } from 'posttrain/model';
import { attempt, descend, type Loop, mean, perToken, whenSampled } from './world.js';

const promptsPerStep = 16;
const numIterations = 2;
const epsilon = 0.2;
const beta = 0.04;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  const reference = cloneModel(model);
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();
    const rewards = samples.map(({ reward }) => reward);
    const advantages = rewards.map((reward) => reward - mean(rewards));

    for (let iteration = 0; iteration < numIterations; iteration += 1) {
      descend(model, optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilon);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        // #region penalty
        const d = tf.sub(sequenceLogprobs(reference, samples).logprobs, logprobs);
        const penalty = tf.mul(tf.sub(tf.sub(tf.exp(d), d), 1), beta);
        return tf.div(tf.sum(tf.add(loss, penalty)), samples.length * world.maxCompletionLength);
        // #endregion
      });
    }
  }
  disposeModel(reference);
};
