/**
 * Distillation of whole distributions (GKD, arXiv 2306.13649): the same divergence, of all tokens the policy might have tried and not
 * only of the one it did. The exact reverse KL(policy ‖ teacher) where the policy really goes, without the noise of a sample.
 */
import * as tf from '@tensorflow/tfjs-core';
import { selectedLogits } from 'posttrain/model';
import { attempt, descend, type Loop, type TaughtWorld } from './world.js';

const promptsPerStep = 16;

export const train: Loop<TaughtWorld> = async (model, world, optimizer, maxSteps) => {
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();

    descend(model, optimizer, () => {
      const policy = tf.logSoftmax(selectedLogits(model, samples));
      const teacher = tf.logSoftmax(selectedLogits(world.teacher, samples));
      const divergence = tf.sum(tf.mul(tf.exp(policy), tf.sub(policy, teacher)), 1);
      return tf.mean(divergence);
    });
  }
};
