/**
 * REINFORCE with a baseline: what counts is how much better a reply was than the others of the step.
 * The expected gradient keeps its direction, but what all replies have in common no longer moves it.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { attempt, descend, type Loop, mean, perToken } from './world.js';

const promptsPerStep = 16;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();
    const rewards = samples.map(({ reward }) => reward);
    // #region baseline
    const advantages = rewards.map((reward) => reward - mean(rewards));
    // #endregion

    descend(model, optimizer, () => {
      const { logprobs } = sequenceLogprobs(model, samples);
      const loss = tf.neg(tf.mul(logprobs, perToken(samples, advantages)));
      return tf.div(tf.sum(loss), samples.length * world.maxCompletionLength);
    });
  }
};
