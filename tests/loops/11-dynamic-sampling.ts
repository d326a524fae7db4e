/**
 * DAPO's dynamic sampling (arXiv 2503.14476, eq. 11): a group of equal rewards teaches nothing.
 * Further prompts take its place, so that every step learns from as many groups as the one before.
 */
import * as tf from '@tensorflow/tfjs-core';
import { sequenceLogprobs } from 'posttrain/model';
import { type Attempt, attempt, descend, type Loop, mean, perToken, std, whenSampled } from './world.js';

const promptsPerStep = 4;
const numGenerations = 4;
const maxResampleRounds = 6;
const numIterations = 2;
const epsilon = 0.2;
const epsilonHigh = 0.28;

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  let asked = 0;
  for (let step = 0; step < maxSteps; step += 1) {
    // #region resample
    const groups: Attempt[][] = [];
    for (let round = 0; round < maxResampleRounds && groups.length < promptsPerStep; round += 1) {
      const tries = { step, from: asked, prompts: promptsPerStep - groups.length, each: numGenerations };
      groups.push(...(await attempt(model, world, tries)).filter(hasSignal));
      asked += tries.prompts;
    }
    if (groups.length === 0) continue;
    // #endregion
    const samples = groups.flat();
    const advantages = groups.flatMap(relativeToGroup);

    for (let iteration = 0; iteration < numIterations; iteration += 1) {
      descend(model, optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const advantage = perToken(samples, advantages);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilonHigh);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)));
        return tf.mean(loss);
      });
    }
  }
};

const hasSignal = (group: Attempt[]): boolean => group.some(({ reward }) => reward !== group[0]?.reward);

/** How far above the mean of its group each reward is, in standard deviations. */
function relativeToGroup(group: readonly Attempt[]): number[] {
  const rewards = group.map(({ reward }) => reward);
  const scale = std(rewards) + 1e-4;
  return rewards.map((reward) => (reward - mean(rewards)) / scale);
}
