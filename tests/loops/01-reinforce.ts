/**
 * REINFORCE (Williams 1992): try, judge, and make what was tried likelier, the more the better it was.
 * The log-probability of a reply is the sum over its tokens; the constant it is divided by only scales the learning rate.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { attempt, descend, type Loop, perToken } from './world.js';

const promptsPerStep = 16;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();
    const rewards = samples.map(({ reward }) => reward);

    descend(model, optimizer, () => {
      const { logprobs } = sequenceLogprobs(model, samples);
      const loss = tf.neg(tf.mul(logprobs, perToken(samples, rewards)));
      return tf.div(tf.sum(loss), samples.length * world.maxCompletionLength);
    });
  }
};
