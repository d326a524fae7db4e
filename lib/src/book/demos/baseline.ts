/** One policy gradient, estimated again and again with different baselines. */
import { short, type Dot } from '../../display/index.js';
import {
  baselineAdvantages,
  groupAdvantages,
  leaveOneOutAdvantages,
  mean,
  standardDeviation,
} from '../../losses/index.js';
import { addScore } from '../../tabular/index.js';
import { drawToken, randomStream, type RandomStream } from '../../tensor/index.js';
import { defineDemo, type Demo } from './demo.js';

/** Replies that the policy can give; the first is right. */
const REPLIES = 4;
/** How often the gradient is estimated. */
const ESTIMATES = 800;

type Advantages = (rewards: readonly number[]) => readonly number[];

export type Estimator = 'no baseline' | 'leave one out' | 'group mean' | 'mean and std';

const estimators: Readonly<Record<Estimator, Advantages>> = {
  'no baseline': (rewards) => baselineAdvantages(rewards, 0),
  'leave one out': (rewards) => leaveOneOutAdvantages([rewards])[0] as number[],
  'group mean': (rewards) => groupAdvantages([rewards], 'none').advantages[0] as number[],
  'mean and std': (rewards) => groupAdvantages([rewards], 'group').advantages[0] as number[],
};
const names = Object.keys(estimators) as Estimator[];

export const baseline: Demo = defineDemo({
  name: 'baseline',
  title: 'How noisy is one estimate of the gradient?',
  question: 'The same samples, the same rewards: what does subtracting a baseline change?',
  hint: 'raise the mark that every reply gets, right or wrong, to 10. Which estimates do not care?',
  controls: {
    group: { type: 'range', label: 'Replies in a group', min: 2, max: 64, step: 1, start: 8 },
    right: {
      type: 'range',
      label: 'Chance of a right reply',
      ...{ min: 0.02, max: 0.98, step: 0.02, start: 0.3 },
    },
    offset: {
      type: 'range',
      label: 'Mark that every reply gets besides',
      ...{ min: 0, max: 10, step: 0.5, start: 1 },
    },
  },
  auto: true,
  seconds: 10,
  needs: [],
  async run({ group, right, offset }, { show }) {
    const exact = right * (1 - right);
    const found = names.map((name) => ({ name, ...estimateOften(name, { group, right, offset }) }));
    show('estimates', {
      figure: {
        type: 'dots',
        title: 'Gradient for the right reply: mean, and where 90 % of the estimates lie',
        description: `The exact gradient is ${short(exact)}. ${found.map(({ name, mean, low, high }) => `${name}: mean ${short(mean)}, 90 % from ${short(low)} to ${short(high)}`).join('; ')}.`,
        xLabel: 'estimated gradient of the expected reward',
        dots: [
          { name: 'exact', value: exact },
          ...found.map(({ name, mean, low, high }): Dot => ({ name, value: mean, low, high })),
        ],
      },
    });
    const of = (name: Estimator): Estimates => found.find((each) => each.name === name)!;
    const times = (name: Estimator): string => short(of(name).mean / exact);
    return `For a gradient of 1, one estimate scatters by ${short(of('no baseline').noise)} without a baseline and by ${short(of('leave one out').noise)} with the mean of the others. Means: ${times('leave one out')} of the exact gradient with the mean of the others, ${times('group mean')} with the mean of all ${group}, ${times('mean and std')} if that is divided by the deviation, too.`;
  },
});

export interface Setting {
  readonly group: number;
  readonly right: number;
  readonly offset: number;
}

export interface Estimates {
  readonly mean: number;
  /** 5th and 95th percentile. */
  readonly low: number;
  readonly high: number;
  /** Standard deviation over the size of the mean. */
  readonly noise: number;
}

/** The gradient for the logit of the right reply, from fresh samples each time; the same samples for every estimator. */
export function estimateOften(name: Estimator, setting: Setting): Estimates {
  const probabilities = policyOf(setting.right);
  const estimates = Array.from({ length: ESTIMATES }, (_, i) =>
    estimateOnce(estimators[name], probabilities, setting, randomStream(1, 'demo/baseline', i)),
  );
  const sorted = estimates.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (ESTIMATES - 1))] as number;
  const centre = mean(estimates);
  return {
    mean: centre,
    low: at(0.05),
    high: at(0.95),
    noise: centre === 0 ? 0 : standardDeviation(estimates) / Math.abs(centre),
  };
}

function policyOf(right: number): Float32Array {
  return Float32Array.from({ length: REPLIES }, (_, reply) =>
    reply === 0 ? right : (1 - right) / (REPLIES - 1),
  );
}

/** `1/n Σ A ∇ log π` of one group. */
function estimateOnce(
  advantages: Advantages,
  probabilities: Float32Array,
  { group, offset }: Setting,
  random: RandomStream,
): number {
  const replies = Array.from(
    { length: group },
    () => drawToken(probabilities, { temperature: 1 }, random.uniform()).token,
  );
  const weights = advantages(replies.map((reply) => offset + Number(reply === 0)));
  const gradient = Array.from({ length: REPLIES }, () => 0);
  replies.forEach((reply, i) =>
    addScore(gradient, [...probabilities], reply, (weights[i] as number) / group),
  );
  return gradient[0] as number;
}
