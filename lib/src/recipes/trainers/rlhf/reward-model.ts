/** How well annotators' comparisons teach a reward model what they value, and what they cannot teach it. */
import { lineChart, standaloneSvg } from '../../../display/index.js';
import { createLocalEngine, type Engine } from '../../../engine/index.js';
import { expectedAgreement, labelCeiling } from '../../../envs/preference/index.js';
import { disposeModel, type Model } from '../../../model/index.js';
import { mean } from '../../../losses/index.js';
import { reward, type PreferenceRow, type RewardConfig } from '../../../trainers/index.js';
import type { Claim, CurvePoint, Experiment, Measured, Measurements, Progress } from '../experiment.js';
import { measured, shareColumn } from '../measurements.js';
import { agreementOf, compareReplies, rowOf, scoresOf, type Comparison } from './comparisons.js';
import {
  HELD_OUT_SEEDS,
  learnFromWriters,
  newPolicy,
  testTasks,
  trainTasks,
  withScorer,
  workOf,
} from './setting.js';

interface Settings {
  /** τ of the annotators. */
  readonly noise: number;
  readonly writerSteps: number;
  /** Sizes of the data set, the largest last. */
  readonly pairs: readonly number[];
  /** Of which size scores are also held around 0. */
  readonly centred: number;
  readonly heldOut: number;
  /** Times each data set is gone through … */
  readonly epochs: number;
  /** … and the fewest steps of a reward model: small data sets are gone through more often. */
  readonly leastSteps: number;
}

export const rewardModel: Experiment<Settings> = {
  name: 'reward-model',
  description: 'reward models from 200 to 32,000 noisy comparisons, against the ceiling that the noise sets',
  hypothesis:
    'With enough pairs the reward model agrees with held-out labels within 3 points of the most that the labels’ noise allows, on requests it has never seen; ' +
    'with few it falls short. Only differences are learned: held around 0 (centerRewardsCoefficient), scores rank replies as well.',
  seeds: [1, 2, 3],
  settings: {
    full: {
      noise: 0.25,
      writerSteps: 300,
      pairs: [200, 2000, 32_000],
      centred: 2000,
      heldOut: 2000,
      epochs: 3,
      leastSteps: 60,
    },
    quick: {
      noise: 0.25,
      writerSteps: 120,
      pairs: [60, 1200],
      centred: 1200,
      heldOut: 400,
      epochs: 1,
      leastSteps: 15,
    },
  },
  columns: {
    labels: shareColumn('agrees with labels', percent),
    gap: { header: 'below the ceiling', format: points },
    gold: shareColumn('with the gold order', percent),
    meanScore: { header: 'mean score', format: (value) => value.toFixed(2) },
  },
  measure,
  claims,
  remarks: [
    'The ceiling is how often someone who knows the gold reward agrees with the annotators. How far below it a reward model stays is computed in expectation over what they may say of the same pairs; counted on 2,000 labels it would vary by a point.',
    'Patience, not size, was missing: after one pass through 32,000 pairs seed 1 stays 3.0 points below, after two 1.8 (and the worst seed 3.3); after one pass through labels without noise 1.5.',
    'The centred reward model is trained from the same start on the same pairs as the other of its size.',
  ],
  figures: ({ curves }) => {
    const { agreement = {} } = curves;
    const chart = lineChart({
      title: 'A reward model and the noise of its labels',
      description:
        'Agreement with held-out labels against the number of training pairs, and the most that the noise of the labels allows; mean and range over seeds.',
      xLabel: 'pairs, log₁₀',
      yLabel: 'agreement',
      series: Object.entries(agreement).map(([name, points]) => ({ name, points })),
    });
    return { 'reward-model.svg': standaloneSvg(chart) };
  },
};

/** Pairs in a step. */
const BATCH = 64;
const CENTRED = ', centred';

async function* measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void> {
  const { noise, writerSteps, pairs } = settings;
  const arms = armsOf(settings, seed);
  const tell = workOf(writerSteps + arms.reduce((sum, { config }) => sum + (config.maxSteps ?? 0), 0));
  const writer = newPolicy(seed);
  const engine = createLocalEngine(writer);
  try {
    yield* tell('the writers', learnFromWriters(writer, { seed, maxSteps: writerSteps }));
    const { train, test } = await labelledBy(engine, seed, settings);
    const ceiling = labelCeiling(test, noise);
    const numbers: Record<string, Readonly<Record<string, number>>> = {};
    for (const { name, count, config } of arms) {
      const scores = yield* tell(name, scoresAfter(writer, train.slice(0, count).map(rowOf), config, test));
      const { labels, gold } = agreementOf(test, scores);
      const gap = ceiling - expectedAgreement(test, differencesOf(scores), noise);
      numbers[name] = { labels, gap, gold, meanScore: mean(scores) };
    }
    const line = (of: (count: number) => number): CurvePoint[] =>
      pairs.map((count) => ({ x: Math.log10(count), y: of(count) }));
    return {
      arms: { ...numbers, 'gold reward': { labels: ceiling, gap: 0, gold: 1 } },
      curves: {
        agreement: {
          'reward model': line((count) => numbers[nameOf(count)]?.['labels'] as number),
          ceiling: line(() => ceiling),
        },
      },
    };
  } finally {
    engine.dispose();
    disposeModel(writer);
  }
}

/** @param scores of chosen and rejected replies by turns */
function differencesOf(scores: readonly number[]): number[] {
  return scores.flatMap((score, n) => (n % 2 === 0 ? [score - (scores[n + 1] as number)] : []));
}

interface Arm {
  readonly name: string;
  readonly count: number;
  readonly config: Partial<RewardConfig>;
}

function armsOf({ pairs, centred, epochs, leastSteps }: Settings, seed: number): Arm[] {
  const armOf = (name: string, count: number, centerRewardsCoefficient: number | null): Arm => {
    const maxSteps = Math.max(leastSteps, Math.ceil((epochs * count) / BATCH));
    // After one pass through 32,000 pairs with seed 1, AdamW (1e-3) agreed with 70.3 % of held-out labels, Muon with 72.0 %.
    const optimizer = { optim: 'muon', learningRate: 2e-3, warmupSteps: 10 } as const;
    return {
      name,
      count,
      config: { ...optimizer, batchSize: BATCH, maxSteps, seed, centerRewardsCoefficient },
    };
  };
  return [
    ...pairs.map((count) => armOf(nameOf(count), count, null)),
    armOf(`${nameOf(centred)}${CENTRED}`, centred, 0.01),
  ];
}

function nameOf(count: number): string {
  return `${count} pairs`;
}

/** Comparisons of the writer’s replies: to learn from, and of its replies to other requests. */
async function labelledBy(
  writer: Engine,
  seed: number,
  { noise, pairs, heldOut }: Settings,
): Promise<{ train: Comparison[]; test: Comparison[] }> {
  const shared = { candidates: 2, noise };
  const train = { ...shared, count: Math.max(...pairs), seed, purpose: 'train' };
  const test = { ...shared, count: heldOut, seed: seed + HELD_OUT_SEEDS, purpose: 'test' };
  return {
    train: await compareReplies(writer, trainTasks, train),
    test: await compareReplies(writer, testTasks, test),
  };
}

/** Trains a reward model that starts with the layers of `writer`; returns its scores of the held-out replies. */
function scoresAfter(
  writer: Model,
  rows: readonly PreferenceRow[],
  config: Partial<RewardConfig>,
  test: readonly Comparison[],
): AsyncGenerator<unknown, number[], void> {
  return withScorer(writer, async function* (engine) {
    yield* reward({ engine, rows, config });
    return scoresOf(engine, test);
  });
}

function claims(results: Measurements): Claim[] {
  const counts = Object.keys(results.arms).filter((name) => name.endsWith('pairs'));
  const [few, many] = [counts[0] as string, counts.at(-1) as string];
  const fewGap = measured(results, few, 'gap');
  const manyGap = measured(results, many, 'gap');
  const centred = Object.keys(results.arms).find((name) => name.endsWith(CENTRED)) as string;
  const meanScore = measured(results, centred, 'meanScore').mean;
  const labels = (arm: string): number => measured(results, arm, 'labels').mean;
  const difference = labels(centred) - labels(centred.slice(0, -CENTRED.length));
  return [
    {
      claim: `with ${many} it agrees with held-out labels within 3 points of the ceiling, every seed`,
      holds: manyGap.max <= 0.03,
      measured: `at most ${points(manyGap.max)} below`,
    },
    {
      claim: `with ${few} it does not, by 5 points or more, every seed`,
      holds: fewGap.min >= 0.05,
      measured: `at least ${points(fewGap.min)} below`,
    },
    {
      claim: 'held around 0, it agrees as well, within a point',
      holds: Math.abs(difference) <= 0.01 && Math.abs(meanScore) < 0.2,
      measured: `${points(difference)}, mean score ${meanScore.toFixed(2)}`,
    },
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}
