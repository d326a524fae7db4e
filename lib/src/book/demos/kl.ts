/** What β does to the best policy, and what three estimators say of its distance. */
import * as tf from '@tensorflow/tfjs-core';
import { percent, short, type Dot, type Point } from '../../display/index.js';
import { type KLEstimator, klPenalty, mean, standardDeviation } from '../../losses/index.js';
import { softmax } from '../../tabular/index.js';
import { drawToken, randomStream } from '../../tensor/index.js';
import { defineDemo, type Demo } from './demo.js';
import { shareTable } from './share-table.js';

/** Replies to one request: how likely under the reference, and what the reward pays. */
const REPLIES = [
  { name: 'plain', reference: 0.5, reward: 0.2 },
  { name: 'careful', reference: 0.3, reward: 0.5 },
  { name: 'flattering', reference: 0.15, reward: 0.7 },
  { name: 'strange', reference: 0.05, reward: 1 },
] as const;
const REFERENCE = REPLIES.map(({ reference }) => reference);
const ESTIMATORS: readonly KLEstimator[] = ['k1', 'k2', 'k3'];
/** How often the mean over samples is taken, to see how it scatters. */
const REPEATS = 300;
const BETAS = [0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8, 1.1, 1.6, 2.2, 3] as const;

export const kl: Demo = defineDemo({
  name: 'kl',
  title: 'The pull of the reference',
  question: 'A policy earns its reward less β times its distance from the reference. Where does it go?',
  hint: 'lower β until the strange reply is the most likely one. Then compare the three estimators at 8 samples.',
  controls: {
    beta: {
      type: 'range',
      label: 'β, price of distance',
      ...{ min: 0.05, max: 3, step: 0.05, start: 0.3, unit: 'per nat' },
    },
    samples: {
      type: 'range',
      label: 'Replies sampled for one estimate',
      ...{ min: 1, max: 256, step: 1, start: 16 },
    },
  },
  auto: true,
  seconds: 10,
  needs: ['wasm'],
  async run({ beta, samples }, { show, startBackend }) {
    await startBackend();
    const policy = bestPolicy(beta);
    const distance = divergence(policy);
    show('replies', {
      html: shareTable({
        caption: `The best policy at β = ${short(beta)}`,
        columns: ['reply', 'reward', 'reference', 'best policy'],
        rows: REPLIES.map(({ name, reward, reference }, i) => ({
          name,
          facts: [short(reward)],
          shares: [reference, policy[i] as number],
        })),
      }),
    });
    const estimates = ESTIMATORS.map((name) => ({ name, ...scatter(policy, name, samples) }));
    show('estimators', {
      half: true,
      figure: {
        type: 'dots',
        title: `KL from ${samples} samples, ± 1 deviation`,
        description: `The true distance is ${short(distance)} nats. ${estimates.map(({ name, mean, deviation }) => `${name} gives ${short(mean)}, and scatters by ${short(deviation)}`).join('; ')}.`,
        xLabel: 'KL(policy ‖ reference), nats',
        dots: [
          { name: 'exact', value: distance },
          ...estimates.map(({ name, mean, deviation }): Dot => ({
            name,
            value: mean,
            low: mean - deviation,
            high: mean + deviation,
          })),
        ],
      },
    });
    show('frontier', {
      half: true,
      figure: {
        type: 'lines',
        title: 'Reward bought with distance',
        description:
          'Expected reward of the best policies against their distance from the reference: steep at first, flat at the end.',
        xLabel: 'KL, nats',
        yLabel: 'expected reward',
        series: [
          { name: 'best policies', points: BETAS.toReversed().map((each) => tradeOf(bestPolicy(each))) },
          { name: `β = ${short(beta)}`, points: [tradeOf(policy)] },
        ],
      },
    });
    const likeliest = REPLIES[policy.indexOf(Math.max(...policy))]!.name;
    return `At β = ${short(beta)} the best policy is ${short(distance)} nats from the reference and earns ${short(expectedReward(policy))} (the reference ${short(expectedReward(REFERENCE))}); most often it gives the ${likeliest} reply, ${percent(Math.max(...policy), 0)} of the time.`;
  },
});

/** What maximises reward − β KL: `π ∝ π_ref exp(r / β)`. */
export function bestPolicy(beta: number): number[] {
  return softmax(REPLIES.map(({ reference, reward }) => Math.log(reference) + reward / beta));
}

/** KL(policy ‖ reference), exactly. */
export function divergence(policy: readonly number[]): number {
  return policy.reduce((sum, p, i) => sum + (p > 0 ? p * Math.log(p / (REFERENCE[i] as number)) : 0), 0);
}

export function expectedReward(policy: readonly number[]): number {
  return policy.reduce((sum, p, i) => sum + p * (REPLIES[i]?.reward as number), 0);
}

function tradeOf(policy: readonly number[]): Point {
  return { x: divergence(policy), y: expectedReward(policy) };
}

/** Mean and deviation of the estimates from so many samples each. Needs a back end. */
export function scatter(
  policy: readonly number[],
  estimator: KLEstimator,
  samples: number,
): { readonly mean: number; readonly deviation: number } {
  const values = penalties(policy, estimator);
  const probabilities = Float32Array.from(policy);
  const means = Array.from({ length: REPEATS }, (_, repeat) => {
    const random = randomStream(1, 'demo/kl', repeat);
    const sample = (): number => drawToken(probabilities, { temperature: 1 }, random.uniform()).token;
    return mean(Array.from({ length: samples }, () => values[sample()] as number));
  });
  return { mean: mean(means), deviation: standardDeviation(means) };
}

/** What the estimator says of each reply. */
function penalties(policy: readonly number[], estimator: KLEstimator): Float32Array {
  return tf.tidy(() => {
    // a probability of 0 has no logarithm, and no sample either
    const [logprobs, refLogprobs] = [policy, REFERENCE].map((shares) =>
      tf.tensor1d(shares.map((p) => Math.log(p + 1e-30))),
    );
    const weights = tf.ones([REPLIES.length]);
    return klPenalty(
      { logprobs: logprobs!, refLogprobs: refLogprobs!, weights },
      estimator,
    ).dataSync<'float32'>();
  });
}
