/** Reinforcement learning from a learned reward, pushed until the reward is no longer true. */
import {
  createLocalEngine,
  type Engine,
  type LogprobScorer,
  type ScalarEngine,
} from '../../../engine/index.js';
import { labelCeiling } from '../../../envs/preference/index.js';
import { mean } from '../../../losses/index.js';
import { disposeModel, type Model } from '../../../model/index.js';
import { completionLength, rewardFromModel, type EpisodeRecord } from '../../../rollout/index.js';
import { ppo, reward } from '../../../trainers/index.js';
import type { CurvePoint, Measured, Progress } from '../experiment.js';
import { bestOfNCurves, courtesyCurves } from './best-of-n.js';
import { agreementOf, compareReplies, repeated, rowOf, scoresOf } from './comparisons.js';
import {
  divergence,
  drawReplies,
  environment,
  HELD_OUT_SEEDS,
  learnFromWriters,
  MAX_COMPLETION,
  newPolicy,
  testTasks,
  tokenizer,
  trainTasks,
  withPolicy,
  withScorer,
  workOf,
} from './setting.js';

export interface OverOptimizationSettings {
  /** τ of the annotators. */
  readonly noise: number;
  readonly writerSteps: number;
  /** Comparisons that the reward model learns from. */
  readonly pairs: number;
  readonly rewardSteps: number;
  /** β: prices of a nat away from the first policy. */
  readonly klCoefs: readonly number[];
  /** Steps of PPO, and how many of them make one point of a curve. */
  readonly steps: number;
  readonly stepsPerPoint: number;
  /** Replies in a step of PPO. */
  readonly promptsPerStep: number;
  /** Replies to each held-out request, for best-of-n. */
  readonly samples: number;
}

export const FIRST_POLICY = 'first policy';
export const REWARD_MODEL = 'reward model';
export const BEST_OF_N = 'best of n';
export const COURTESIES = 'courtesies';
export const ppoArm = (klCoef: number): string => `PPO, β = ${klCoef}`;

/** What one repetition works with. */
interface World {
  readonly seed: number;
  readonly settings: OverOptimizationSettings;
  /** The policy at the start: what PPO is held to, and what best-of-n chooses from. */
  readonly first: Model;
  readonly reference: Engine;
  readonly rewardModel: ScalarEngine;
}

/** One repetition: a first policy, comparisons of its replies, a reward model of them; and how far PPO at each price and best-of-n get. */
export async function* measureOverOptimization(
  seed: number,
  settings: OverOptimizationSettings,
): AsyncGenerator<Progress, Measured, void> {
  const { writerSteps, rewardSteps, klCoefs, steps } = settings;
  const tell = workOf(writerSteps + rewardSteps + klCoefs.length * steps);
  const first = newPolicy(seed);
  const reference = createLocalEngine(first);
  try {
    yield* tell('the writers', learnFromWriters(first, { seed, maxSteps: writerSteps }));
    return yield* withScorer(first, async function* (rewardModel) {
      const world = { seed, settings, first, reference, rewardModel };
      const agreement = yield* tell(REWARD_MODEL, learnRewardModel(world));
      const start = await startOf(world);
      const climbs: [string, Point[]][] = [];
      for (const klCoef of klCoefs) {
        const points = yield* tell(ppoArm(klCoef), climb(world, klCoef));
        climbs.push([ppoArm(klCoef), [start, ...points]]);
      }
      return {
        arms: {
          [REWARD_MODEL]: agreement,
          [FIRST_POLICY]: { gold: start.gold, proxy: start.proxy },
          ...Object.fromEntries(climbs.map(([arm, points]) => [arm, summaryOf(points)])),
        },
        curves: {
          ...Object.fromEntries(climbs.map(([arm, points]) => [arm, linesOf(points)])),
          [BEST_OF_N]: await bestOfNCurves(world, settings.samples),
          [COURTESIES]: await courtesyCurves(rewardModel),
        },
      };
    });
  } finally {
    reference.dispose();
    disposeModel(first);
  }
}

/** Trains the reward model on few comparisons of the first policy’s replies; returns how well it knows others of that policy. */
async function* learnRewardModel({
  seed,
  settings: { noise, pairs, rewardSteps },
  reference,
  rewardModel,
}: World): AsyncGenerator<unknown, Record<string, number>, void> {
  const shared = { candidates: 2, noise };
  const train = { ...shared, count: pairs, seed, purpose: 'train' };
  const rows = (await compareReplies(reference, trainTasks, train)).map(rowOf);
  const config = { batchSize: Math.min(64, pairs), maxSteps: rewardSteps, learningRate: 1e-3, seed };
  yield* reward({ engine: rewardModel, rows, config });
  const heldOut = { ...shared, count: 5 * pairs, seed: seed + HELD_OUT_SEEDS, purpose: 'test' };
  const test = await compareReplies(reference, testTasks, heldOut);
  const { labels } = agreementOf(test, await scoresOf(rewardModel, test));
  return { agreement: labels, ceiling: labelCeiling(test, noise) };
}

/** Where a policy is: means over episodes. */
interface Point {
  readonly step: number;
  /** From the first policy, nats a reply. */
  readonly kl: number;
  /** The reward model’s score. */
  readonly proxy: number;
  readonly gold: number;
  /** Tokens of a reply. */
  readonly length: number;
}

async function startOf({ seed, reference, rewardModel }: World): Promise<Point> {
  const groups = await drawReplies(reference, repeated(trainTasks, 512), {
    numGenerations: 1,
    seed,
    purpose: 'start',
  });
  const episodes = groups.flatMap((group) => group.episodes);
  const scores = await rewardFromModel(rewardModel)(episodes);
  const judged = episodes.map((episode, n): EpisodeRecord => ({ ...episode, reward: scores[n] ?? null }));
  return { step: 0, ...(await describe(judged, reference)) };
}

/** PPO from the first policy on the reward model’s scores, with β = `klCoef`. */
function climb(
  { seed, settings, first, reference, rewardModel }: World,
  klCoef: number,
): AsyncGenerator<unknown, Point[], void> {
  const { steps: maxSteps, stepsPerPoint, promptsPerStep } = settings;
  const training = { maxSteps, promptsPerStep, numPpoEpochs: 2, learningRate: 3e-4 };
  const config = { ...training, klCoef, maxCompletionLength: MAX_COMPLETION, seed };
  const rewardFunction = rewardFromModel(rewardModel);
  const world = { tokenizer, env: environment, tasks: trainTasks, rewardFunction, reference };
  const learn = (engine: Engine): AsyncGenerator<unknown, Point[], void> =>
    withScorer(first, async function* (critic) {
      const points: Point[] = [];
      let recent: EpisodeRecord[] = [];
      for await (const step of ppo({ engine, critic, ...world, config })) {
        recent.push(...step.episodes);
        if (step.step % stepsPerPoint === 0) {
          points.push({ step: step.step, ...(await describe(recent, reference)) });
          recent = [];
        }
        yield step;
      }
      return points;
    });
  return withPolicy(first, learn);
}

/** @param episodes as the proxy judged them */
async function describe(
  episodes: readonly EpisodeRecord[],
  reference: LogprobScorer,
): Promise<Omit<Point, 'step'>> {
  return {
    kl: await divergence(episodes, reference),
    proxy: mean(episodes.map((episode) => episode.reward ?? 0)),
    gold: mean(episodes.map(({ metrics }) => metrics['gold'] as number)),
    length: mean(episodes.map(completionLength)),
  };
}

function summaryOf(points: readonly Point[]): Record<string, number> {
  const { kl, proxy, gold, length } = points.at(-1) as Point;
  const peak = Math.max(...points.map((point) => point.gold));
  return {
    gold,
    peak,
    fall: 1 - gold / peak,
    proxy,
    proxyPeak: Math.max(...points.map((p) => p.proxy)),
    kl,
    length,
  };
}

function linesOf(points: readonly Point[]): Record<string, CurvePoint[]> {
  const line = (of: (point: Point) => number): CurvePoint[] =>
    points.map((point) => ({ x: point.step, y: of(point) }));
  // a KL estimated from samples may come out a little below 0
  const distance = line(({ kl }) => Math.sqrt(Math.max(0, kl)));
  return {
    distance,
    proxy: line(({ proxy }) => proxy),
    gold: line(({ gold }) => gold),
    length: line(({ length }) => length),
  };
}
