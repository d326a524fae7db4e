/** What a fixed set of preferences can teach, and what it cannot. */
import { lineChart, standaloneSvg, type Series } from '../../../display/index.js';
import type { Claim, CurvePoint, Experiment, Measurements } from '../experiment.js';
import { measured, shareColumn, wholePercent } from '../measurements.js';
import {
  DPO,
  FIRST,
  GRPO_GOLD,
  KTO,
  measurePreferences,
  type PreferenceSettings,
} from './fixed-preferences.js';

export const preferences: Experiment<PreferenceSettings> = {
  name: 'preferences',
  description:
    'DPO and KTO on replies none of which gives a reason, which is what the gold reward values most, and GRPO beside them',
  hypothesis:
    'DPO starts at a loss of ln 2, orders 90 % or more of held-out pairs as the gold reward does, and makes even preferred replies less likely; ' +
    'KTO gets 80 % or more of its gain from unpaired labels. Neither gives a reason in 5 % of its replies, for no pair has one; GRPO on the gold reward finds it.',
  seeds: [1, 2, 3],
  settings: {
    full: {
      noise: 0.25,
      writerSteps: 300,
      pairs: 9600,
      heldOut: 1000,
      offlineSteps: 150,
      grpoSteps: 80,
      samples: 32,
    },
    quick: {
      noise: 0.25,
      writerSteps: 120,
      pairs: 320,
      heldOut: 100,
      offlineSteps: 12,
      grpoSteps: 12,
      samples: 8,
    },
  },
  columns: {
    gold: { header: 'gold', format: twoDigits },
    reason: shareColumn('gives a reason'),
    kl: { header: 'nats away', format: (value) => value.toFixed(1) },
    order: shareColumn('orders pairs'),
    chosenShift: { header: 'log p of preferred', format: (value) => value.toFixed(1) },
    rejectedShift: { header: 'of the others', format: (value) => value.toFixed(1) },
  },
  measure: measurePreferences,
  claims,
  remarks: [
    'A pair is the best and the worst of four replies of the first policy, labelled with noise; those that give a reason are not shown.',
    'The reward model is made of the pairs that DPO learns from. GRPO on it samples anew in every step and gives no reason either: nobody has told it what one is worth. Without a price of leaving it ends far away, and below the first policy: what is missing is a judge that knows, not samples alone.',
  ],
  figures: ({ curves }) => {
    const { reason = {}, displacement = {} } = curves;
    const series = (lines: Readonly<Record<string, readonly CurvePoint[]>>): Series[] =>
      Object.entries(lines).map(([name, points]) => ({ name, points }));
    const found = lineChart({
      title: 'Replies that give a reason',
      description:
        'Share of replies to held-out requests that give a reason, before and after learning; DPO and KTO learn from pairs without one. Mean and range over seeds.',
      xLabel: 'GRPO step (DPO and KTO: after learning)',
      yLabel: 'share',
      yRange: [0, 1],
      series: series(reason),
      width: 620,
    });
    const moved = lineChart({
      title: 'DPO moves both sides down, one further',
      description:
        'Log-probability of preferred and of other replies under DPO, less that under the first policy, over the steps; mean and range over seeds.',
      xLabel: 'DPO step',
      yLabel: 'change of log p',
      series: series(displacement),
    });
    return { 'preferences.svg': standaloneSvg(found), 'preferences-displacement.svg': standaloneSvg(moved) };
  },
};

function claims(results: Measurements): Claim[] {
  const of = (arm: string, name: string) => measured(results, arm, name);
  const firstLoss = of(DPO, 'firstLoss');
  const order = of(DPO, 'order');
  const chosen = of(DPO, 'chosenShift');
  const gains = [DPO, KTO].map((arm) => of(arm, 'gold').mean - of(FIRST, 'gold').mean) as [number, number];
  const reasons = [DPO, KTO].map((arm) => of(arm, 'reason').max);
  const found = of(GRPO_GOLD, 'reason');
  return [
    {
      claim: 'DPO starts at ln 2, every seed',
      holds: firstLoss.values.every((loss) => Math.abs(loss - Math.LN2) < 1e-4),
      measured: firstLoss.mean.toFixed(4),
    },
    {
      claim: 'and orders 90 % or more of held-out pairs as the gold reward does, every seed',
      holds: order.min >= 0.9,
      measured: `least ${wholePercent(order.min)}`,
    },
    {
      claim: 'preferred replies become less likely, every seed',
      holds: chosen.max < 0,
      measured: `by ${(-chosen.mean).toFixed(1)} nats, the others by ${(-of(DPO, 'rejectedShift').mean).toFixed(1)}`,
    },
    {
      claim: 'KTO gets 80 % or more of DPO’s gain in gold reward',
      holds: gains[1] >= 0.8 * gains[0] && gains[0] > 0,
      measured: `${wholePercent(gains[1] / gains[0])}`,
    },
    {
      claim: 'fewer than 5 % of the replies of DPO and KTO give a reason, every seed',
      holds: Math.max(...reasons) < 0.05,
      measured: `at most ${wholePercent(Math.max(...reasons))}`,
    },
    {
      claim: 'GRPO on the gold reward gives one in 80 % or more, every seed',
      holds: found.min >= 0.8,
      measured: `least ${wholePercent(found.min)}`,
    },
  ];
}

function twoDigits(value: number): string {
  return value.toFixed(2);
}
