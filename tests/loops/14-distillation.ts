/**
 * On-policy distillation (arXiv 2306.13649; Thinking Machines Lab, 2025): REINFORCE without a reward. Every token is judged, by
 * how much likelier a teacher finds it than the policy that tried it did.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { attempt, descend, type Loop, type TaughtWorld, whenSampled } from './world.js';

const promptsPerStep = 16;

export const train: Loop<TaughtWorld> = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();

    descend(model, optimizer, () => {
      const { logprobs } = sequenceLogprobs(model, samples);
      const praise = sequenceLogprobs(world.teacher, samples).logprobs;
      const advantage = tf.sub(praise, whenSampled(samples));
      return tf.neg(tf.mean(tf.mul(logprobs, advantage)));
    });
  }
};
