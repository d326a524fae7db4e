/** PPO's clipped objective, token by token. */
import * as tf from '@tensorflow/tfjs-core';
import { short, type Point } from '../../display/index.js';
import { type ClipOptions, policyGradientLoss } from '../../losses/index.js';
import { defineDemo, type Demo } from './demo.js';

/** Of the ratios that are drawn: the last, and the distance of two. */
const RATIOS = { last: 2.5, step: 0.025 } as const;

export const clip: Demo = defineDemo({
  name: 'clip',
  title: 'What the clip does to one token',
  question: 'How far may a token’s probability move before its gradient stops?',
  hint: 'set the advantage to +1 and drag the ratio from 0 to 2; then the same with −1. On which side does the gradient stop?',
  controls: {
    ratio: {
      type: 'range',
      label: 'Ratio r = π / π_old of your token',
      ...{ min: 0.05, max: RATIOS.last, step: 0.05, start: 1.4 },
    },
    advantage: { type: 'range', label: 'Advantage A', min: -2, max: 2, step: 0.25, start: 1 },
    epsilon: { type: 'range', label: 'ε: r may fall to 1 − ε', min: 0.05, max: 0.9, step: 0.05, start: 0.2 },
    epsilonHigh: {
      type: 'range',
      label: 'ε_high: r may rise to 1 + ε_high',
      ...{ min: 0.05, max: 1.5, step: 0.05, start: 0.2 },
    },
  },
  auto: true,
  seconds: 10,
  needs: ['wasm'],
  async run({ ratio, advantage, epsilon, epsilonHigh }, { show, startBackend }) {
    await startBackend();
    const options = { epsilon, epsilonHigh, delta: null };
    const count = Math.round(RATIOS.last / RATIOS.step);
    const ratios = Array.from({ length: count }, (_, i) => (i + 1) * RATIOS.step);
    const points = surrogate(ratios, advantage, options);
    const [yours] = surrogate([ratio], advantage, options) as [SurrogatePoint];
    const line = (of: (point: SurrogatePoint) => number): Point[] =>
      points.map((point) => ({ x: point.ratio, y: of(point) }));
    const at = (y: number): Point[] => [{ x: ratio, y }];
    const words = inWords(yours, advantage, options);
    show('objective', {
      half: true,
      figure: {
        type: 'lines',
        title: 'Objective of one token',
        description: `The clipped objective follows r · A up to the clip and is flat beyond it where the gain would grow. ${words}`,
        xLabel: 'ratio r = π / π_old',
        yLabel: 'objective',
        height: 230,
        series: [
          { name: 'clipped', points: line(({ objective }) => objective) },
          { name: 'r · A', points: line((point) => point.ratio * advantage) },
          { name: 'your token', points: at(yours.objective) },
        ],
      },
    });
    show('gradient', {
      half: true,
      figure: {
        type: 'lines',
        title: 'Gradient for the token’s log-probability',
        description: `Up to the clip the gradient is r · A; beyond it, where the objective is flat, it is 0. ${words}`,
        xLabel: 'ratio r = π / π_old',
        yLabel: 'gradient',
        height: 230,
        series: [
          { name: 'clipped', points: line(({ slope }) => slope) },
          { name: 'r · A', points: line((point) => point.ratio * advantage) },
          { name: 'your token', points: at(yours.slope) },
        ],
      },
    });
    return words;
  },
});

export interface SurrogatePoint {
  readonly ratio: number;
  /** What is maximised. */
  readonly objective: number;
  /** Its derivative by the log-probability of the token. */
  readonly slope: number;
}

/** Objective and gradient of tokens whose probability is `ratio` times what it was, all with one advantage. Needs a back end. */
export function surrogate(
  ratios: readonly number[],
  advantage: number,
  options: ClipOptions,
): SurrogatePoint[] {
  const lossOf = (logprobs: tf.Tensor): tf.Scalar => {
    const [weights, oldLogprobs] = [tf.onesLike(logprobs), tf.zerosLike(logprobs)];
    const advantages = tf.fill(logprobs.shape, advantage);
    return policyGradientLoss({ logprobs, oldLogprobs, advantages, weights }, options);
  };
  const logs = ratios.map(Math.log);
  return tf.tidy(() => {
    const slopes = tf.grad(lossOf)(tf.tensor1d(logs)).dataSync<'float32'>();
    return ratios.map((ratio, i) => {
      const loss = lossOf(tf.tensor1d([logs[i] as number])).dataSync<'float32'>()[0] as number;
      // a loss is minimised; `0 -` keeps a gradient of 0 from being −0
      return { ratio, objective: 0 - loss, slope: 0 - (slopes[i] as number) };
    });
  });
}

function inWords(
  { ratio, slope }: SurrogatePoint,
  advantage: number,
  { epsilon, epsilonHigh }: ClipOptions,
): string {
  if (advantage === 0)
    return 'An advantage of 0 pushes nowhere: objective and gradient are 0 at every ratio.';
  if (slope === 0) {
    const side =
      advantage > 0 ? `above 1 + ε_high = ${short(1 + epsilonHigh)}` : `below 1 − ε = ${short(1 - epsilon)}`;
    return `Your token lies ${side} and has moved the way its advantage wants: clipped, its gradient is 0.`;
  }
  const outside = ratio < 1 - epsilon || ratio > 1 + epsilonHigh;
  const why = outside
    ? 'It has moved the wrong way, and no clip holds it back from returning'
    : 'It is not clipped';
  return `${why}: the gradient of your token is r · A = ${short(slope)}.`;
}
