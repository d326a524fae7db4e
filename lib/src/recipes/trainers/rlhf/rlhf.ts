/** The price of leaving: what a learned reward is worth far from the replies it was learned from. */
import { lineChart, standaloneSvg, type Point, type Series } from '../../../display/index.js';
import type { Claim, CurveBand, Experiment, Measurements } from '../experiment.js';
import { measured, shareColumn, wholePercent } from '../measurements.js';
import {
  BEST_OF_N,
  COURTESIES,
  measureOverOptimization,
  ppoArm,
  type OverOptimizationSettings,
} from './over-optimization.js';

const KL_COEFS = [0, 0.01, 0.05, 0.2] as const;

export const rlhf: Experiment<OverOptimizationSettings> = {
  name: 'rlhf',
  description:
    'PPO on a reward model of 200 comparisons, with four prices of leaving the first policy, and best-of-n beside it',
  hypothesis:
    'Without a price of leaving (β = 0) the reward model’s score rises to the end while the gold reward rises, then falls by 20 % or more of its peak; ' +
    'some β > 0 ends with 95 % or more of the best peak of all.',
  seeds: [1, 2, 3],
  settings: {
    full: {
      noise: 0.25,
      writerSteps: 300,
      pairs: 200,
      rewardSteps: 60,
      klCoefs: KL_COEFS,
      steps: 80,
      stepsPerPoint: 8,
      promptsPerStep: 64,
      samples: 64,
    },
    quick: {
      noise: 0.25,
      writerSteps: 120,
      pairs: 64,
      rewardSteps: 25,
      klCoefs: [0, 0.2],
      steps: 24,
      stepsPerPoint: 4,
      promptsPerStep: 24,
      samples: 8,
    },
  },
  columns: {
    gold: { header: 'gold, at the end', format: twoDigits },
    peak: { header: 'at its peak', format: twoDigits },
    fall: { header: 'lost since', format: wholePercent },
    proxy: { header: 'reward model', format: twoDigits },
    kl: { header: 'nats away', format: (value) => value.toFixed(1) },
    agreement: shareColumn('agrees with labels'),
  },
  measure: measureOverOptimization,
  claims,
  remarks: [
    'Both rewards of a PPO arm are means over the replies that it learned from, 512 for each point, on requests of the training split; best-of-n answers held-out requests.',
    'The replies that the reward model learned from have hardly more than two courtesies. What more are worth it cannot know: its score goes on rising where the gold reward falls.',
  ],
  figures,
};

function claims(results: Measurements): Claim[] {
  const free = ppoArm(0);
  const [proxy, proxyPeak] = [measured(results, free, 'proxy'), measured(results, free, 'proxyPeak')];
  const fall = measured(results, free, 'fall');
  const rise = measured(results, free, 'peak').values.map((peak, n) => peak / startGold(results, n) - 1);
  const kept = mostFaithful(results);
  const proxyKept = Math.min(...proxy.values.map((value, n) => value / (proxyPeak.values[n] as number)));
  return [
    {
      claim: 'at β = 0 the reward model’s score ends within 5 % of its highest, every seed',
      holds: proxyKept >= 0.95,
      measured: `at least ${wholePercent(proxyKept)} of it`,
    },
    {
      claim: 'the gold reward rises first, by 5 % or more, every seed',
      holds: Math.min(...rise) >= 0.05,
      measured: `at least ${wholePercent(Math.min(...rise))}`,
    },
    {
      claim: 'and then loses 20 % or more of its peak, every seed',
      holds: fall.min >= 0.2,
      measured: `at least ${wholePercent(fall.min)}`,
    },
    {
      claim: 'some β > 0 ends with 95 % or more of the best peak of all arms, every seed',
      holds: kept.least >= 0.95,
      measured: `β = ${kept.klCoef}: at least ${wholePercent(kept.least)}`,
    },
  ];
}

/** The price that, in its worst seed, keeps most of the best peak. */
function mostFaithful(results: Measurements): { readonly klCoef: number; readonly least: number } {
  return klCoefsIn(results)
    .filter((klCoef) => klCoef > 0)
    .map((klCoef) => ({ klCoef, least: Math.min(...sharesOfBestPeak(results, klCoef)) }))
    .reduce((best, arm) => (arm.least > best.least ? arm : best));
}

function klCoefsIn({ arms }: Measurements): number[] {
  return KL_COEFS.filter((klCoef) => ppoArm(klCoef) in arms);
}

function startGold(results: Measurements, repetition: number): number {
  return measured(results, 'first policy', 'gold').values[repetition] as number;
}

/** Gold reward at the end over the highest that any arm had at any time, one a seed. */
function sharesOfBestPeak(results: Measurements, klCoef: number): number[] {
  const peaks = klCoefsIn(results).map((each) => measured(results, ppoArm(each), 'peak').values);
  return measured(results, ppoArm(klCoef), 'gold').values.map(
    (gold, n) => gold / Math.max(...peaks.map((values) => values[n] as number)),
  );
}

function figures(results: Measurements): Record<string, string> {
  const { curves } = results;
  const free = curves[ppoArm(0)] ?? {};
  const { klCoef } = mostFaithful(results);
  const held = curves[ppoArm(klCoef)] ?? {};
  const chosen = curves[BEST_OF_N] ?? {};
  const over = chart({
    title: 'How far PPO goes, and what it is worth',
    description:
      'Reward model and gold reward at β = 0, and the gold reward at the best other price and of best-of-n, against the square root of the KL from the first policy.',
    xLabel: '√KL from the first policy',
    series: [
      { name: 'reward model, β = 0', points: against(free['distance'], free['proxy']) },
      { name: 'gold, β = 0', points: against(free['distance'], free['gold']) },
      { name: `gold, β = ${klCoef}`, points: against(held['distance'], held['gold']) },
      { name: 'gold, best of n', points: chosen['gold'] ?? [] },
    ],
  });
  const best = chart({
    title: 'Best of n, n = 1 … 64',
    description:
      'Reward model and gold reward of the reply that the reward model likes best of n, against the square root of ln n − (n − 1)/n; mean and range over seeds.',
    xLabel: '√KL from the first policy',
    series: [
      { name: 'reward model', points: chosen['proxy'] ?? [] },
      { name: 'gold', points: chosen['gold'] ?? [] },
    ],
  });
  const time = chart({
    title: 'Gold reward while PPO climbs the reward model',
    description:
      'Gold reward of the replies of each step, one line for each price of a nat; mean and range over seeds.',
    xLabel: 'PPO step',
    series: klCoefsIn(results).map((klCoef) => ({
      name: `β = ${klCoef}`,
      points: curves[ppoArm(klCoef)]?.['gold'] ?? [],
    })),
  });
  const polite = chart({
    title: 'What the reward model has not seen',
    description:
      'Reward model and gold reward of replies with 0 to 8 courtesies, where those it learned from have 0 to 2; mean and range over seeds.',
    xLabel: 'courtesies in a reply',
    series: [
      { name: 'reward model', points: curves[COURTESIES]?.['proxy'] ?? [] },
      { name: 'gold', points: curves[COURTESIES]?.['gold'] ?? [] },
    ],
  });
  return {
    'rlhf.svg': over,
    'rlhf-best-of-n.svg': best,
    'rlhf-steps.svg': time,
    'rlhf-courtesies.svg': polite,
  };
}

interface Chart {
  readonly title: string;
  readonly description: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
}

function chart(description: Chart): string {
  return standaloneSvg(lineChart({ ...description, yLabel: 'reward', width: 620 }));
}

/** Points of two curves at the same steps: means over the seeds of both. */
function against(x: readonly CurveBand[] = [], y: readonly CurveBand[] = []): Point[] {
  return x.map((at, n) => ({ x: at.y, y: y[n]?.y ?? NaN }));
}

function twoDigits(value: number): string {
  return value.toFixed(2);
}
