/**
 * PPO's clip (Schulman et al. 2017, arXiv 1707.06347): samples are dear, so they are used more than once.
 * By then the policy is no longer the one that sampled. The ratio of the two corrects for it, and a token whose ratio has
 * moved far enough in the direction of its advantage is let go.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { attempt, descend, type Loop, mean, perToken, whenSampled } from './world.js';

const promptsPerStep = 16;
const numIterations = 2;
const epsilon = 0.2;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();
    const rewards = samples.map(({ reward }) => reward);
    const advantages = rewards.map((reward) => reward - mean(rewards));

    // #region clip
    for (let iteration = 0; iteration < numIterations; iteration += 1) {
      descend(model, optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilon);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        return tf.div(tf.sum(loss), samples.length * world.maxCompletionLength);
      });
    }
    // #endregion
  }
};
