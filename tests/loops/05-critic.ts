/**
 * PPO with a critic (Schulman et al. 2017, arXiv 1707.06347): a second model says what it expects before each token, and is
 * taught what came. What a token did shows in how the expectation changes, so the tokens of one reply can be told apart.
 * Now that each token has a reward of its own, the penalty for leaving home stands there, not in the loss.
 */
import * as tf from '@tensorflow/tfjs-core';
import { cloneModel, disposeModel, selectedValues, sequenceLogprobs, withScalarHead } from 'posttrain/model';
import {
  type Attempt,
  attempt,
  beforeTokens,
  descend,
  logprobsOf,
  type Loop,
  standardized,
  valuesBefore,
  whenSampled,
} from './world.js';

const [promptsPerStep, numPpoEpochs] = [16, 2];
const [epsilon, klCoef, lam, vfCoef] = [0.2, 0.05, 0.95, 0.1];

export const train: Loop = async (model, world, optimizer, maxSteps) => {
  const [reference, critic] = [cloneModel(model), withScalarHead(model)];
  for (let step = 0; step < maxSteps; step += 1) {
    const tries = { step, from: step * promptsPerStep, prompts: promptsPerStep, each: 1 };
    const samples = (await attempt(model, world, tries)).flat();
    const home = await logprobsOf(reference, samples);
    const values = await valuesBefore(critic, samples);
    const surprises = samples.flatMap((reply, n) => gae(rewardsOf(reply, home[n]!), values[n]!));
    const returns = values.flat().map((value, i) => value + surprises[i]!);
    const advantages = standardized(surprises);

    for (let epoch = 0; epoch < numPpoEpochs; epoch += 1) {
      descend([model, critic], optimizer, () => {
        const { logprobs } = sequenceLogprobs(model, samples);
        const ratio = tf.exp(tf.sub(logprobs, whenSampled(samples)));
        const clipped = tf.clipByValue(ratio, 1 - epsilon, 1 + epsilon);
        const loss = tf.neg(tf.minimum(tf.mul(ratio, advantages), tf.mul(clipped, advantages)));
        const errors = tf.square(tf.sub(selectedValues(critic, beforeTokens(samples)), returns));
        return tf.add(tf.mean(loss), tf.mul(tf.mean(errors), vfCoef / 2));
      });
    }
  }
  [reference, critic].forEach(disposeModel);
};

/** Each token pays for its distance from home; the last one earns what the reply is worth. */
function rewardsOf({ logprobs, length, reward }: Attempt, home: readonly number[]): number[] {
  const last = length - 1;
  return Array.from(logprobs, (logprob, t) => (t === last ? reward : 0) - klCoef * (logprob - home[t]!));
}

/** How much better it went from each token on than expected; what is further away counts less, by `lam`. */
function gae(rewards: readonly number[], values: readonly number[]): number[] {
  const advantages = [...rewards];
  for (let t = rewards.length - 1; t >= 0; t -= 1)
    advantages[t]! += (values[t + 1] ?? 0) - values[t]! + lam * (advantages[t + 1] ?? 0);
  return advantages;
}
