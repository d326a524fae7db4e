/** Learning from a fixed set of preferences, and what lies outside of it. */
import { createLocalEngine, type Engine } from '../../../engine/index.js';
import { labelReplies, REASON, wordsOf, type PreferenceTask } from '../../../envs/preference/index.js';
import { mean } from '../../../losses/index.js';
import { disposeModel, type Model } from '../../../model/index.js';
import { rewardFromModel, type RewardFunction } from '../../../rollout/index.js';
import { dpo, grpo, kto, reward, type RowStep, type UnpairedPreferenceRow } from '../../../trainers/index.js';
import type { CurvePoint, Measured, Progress } from '../experiment.js';
import {
  agreementOf,
  bothSides,
  compareReplies,
  goldOf,
  rowOf,
  type Comparison,
  type ComparisonOptions,
} from './comparisons.js';
import {
  divergence,
  drawReplies,
  environment,
  HELD_OUT_SEEDS,
  learnFromWriters,
  MAX_COMPLETION,
  newPolicy,
  promptOf,
  sumOf,
  testTasks,
  tokenizer,
  trainTasks,
  withPolicy,
  withScorer,
  workOf,
} from './setting.js';

export interface PreferenceSettings {
  /** τ of the annotators. */
  readonly noise: number;
  readonly writerSteps: number;
  /** Comparisons to learn from, and to be judged by. */
  readonly pairs: number;
  readonly heldOut: number;
  /** Steps of DPO, of KTO and of the reward model; each sees two replies a pair. */
  readonly offlineSteps: number;
  readonly grpoSteps: number;
  /** Replies to each held-out request by which a policy is judged. */
  readonly samples: number;
}

export const FIRST = 'first policy';
export const DPO = 'DPO';
export const KTO = 'KTO';
export const GRPO_GOLD = 'GRPO on the gold reward';
export const GRPO_PROXY = 'GRPO on a reward model';

/** Pairs in a step of DPO and of the reward model; KTO gets as many replies. */
const BATCH = 64;

/** What one repetition works with. */
interface World {
  readonly seed: number;
  readonly settings: PreferenceSettings;
  /** The policy at the start. */
  readonly first: Model;
  readonly reference: Engine;
  readonly train: readonly Comparison[];
  readonly test: readonly Comparison[];
}

/** What an arm came to. */
interface Outcome {
  readonly numbers: Readonly<Record<string, number>>;
  readonly curves?: Readonly<Record<string, readonly CurvePoint[]>>;
}

/** One repetition: a first policy, comparisons of its replies, and what each way to learn makes of them. */
export async function* measurePreferences(
  seed: number,
  settings: PreferenceSettings,
): AsyncGenerator<Progress, Measured, void> {
  const { writerSteps, offlineSteps, grpoSteps } = settings;
  const tell = workOf(writerSteps + 3 * offlineSteps + 2 * grpoSteps);
  const first = newPolicy(seed);
  const reference = createLocalEngine(first);
  try {
    yield* tell('the writers', learnFromWriters(first, { seed, maxSteps: writerSteps }));
    const { train, test } = await labelledBy(reference, seed, settings);
    const world = { seed, settings, first, reference, train, test };
    const before = await judge(reference, world);
    const byDPO = yield* tell(DPO, learnByDPO(world));
    const byKTO = yield* tell(KTO, learnByKTO(world));
    const onGold = yield* tell(GRPO_GOLD, climb(world));
    const onProxy = yield* withScorer(first, async function* (engine) {
      const config = { batchSize: BATCH, maxSteps: offlineSteps, learningRate: 1e-3, seed };
      yield* tell('reward model', reward({ engine, rows: train.map(rowOf), config }));
      return yield* tell(GRPO_PROXY, climb(world, rewardFromModel(engine)));
    });
    const level = ({ numbers }: Outcome): CurvePoint[] =>
      [0, grpoSteps].map((x) => ({ x, y: numbers['reason'] as number }));
    return {
      arms: {
        [FIRST]: before,
        [DPO]: byDPO.numbers,
        [KTO]: byKTO.numbers,
        [GRPO_GOLD]: onGold.numbers,
        [GRPO_PROXY]: onProxy.numbers,
      },
      curves: {
        reason: {
          [GRPO_GOLD]: onGold.curves?.['reason'] ?? [],
          [GRPO_PROXY]: onProxy.curves?.['reason'] ?? [],
          [DPO]: level(byDPO),
          [KTO]: level(byKTO),
        },
        displacement: byDPO.curves ?? {},
      },
    };
  } finally {
    reference.dispose();
    disposeModel(first);
  }
}

/** Comparisons without a reason in them: to learn from, and of replies to other requests. */
async function labelledBy(
  reference: Engine,
  seed: number,
  { noise, pairs, heldOut }: PreferenceSettings,
): Promise<{ train: Comparison[]; test: Comparison[] }> {
  const accept = (text: string): boolean => !wordsOf(text).includes(REASON);
  const draw = (tasks: readonly PreferenceTask[], options: Omit<ComparisonOptions, 'noise' | 'candidates'>) =>
    compareReplies(reference, tasks, { noise, candidates: 4, accept, ...options });
  return {
    train: await draw(trainTasks, { count: pairs, seed, purpose: 'train' }),
    test: await draw(testTasks, { count: heldOut, seed: seed + HELD_OUT_SEEDS, purpose: 'test' }),
  };
}

function learnByDPO(world: World): AsyncGenerator<unknown, Outcome, void> {
  const { seed, settings, first, train } = world;
  return withPolicy(first, async function* (engine) {
    const beta = 0.1;
    const config = { beta, batchSize: BATCH, maxSteps: settings.offlineSteps, learningRate: 2e-4, seed };
    const steps: RowStep[] = [];
    for await (const step of dpo({ engine, rows: train.map(rowOf), config })) {
      steps.push(step);
      yield step;
    }
    const line = (side: 'chosen' | 'rejected'): CurvePoint[] =>
      steps.map(({ step: x, metrics }) => ({ x, y: (metrics[`rewards/${side}`] as number) / beta }));
    const shifts = await shiftsOf(engine, world, train.slice(0, world.test.length));
    const numbers = {
      ...(await judge(engine, world)),
      firstLoss: steps[0]?.metrics['loss'] as number,
      chosenShift: mean(shifts.filter((_, n) => n % 2 === 0)),
      rejectedShift: mean(shifts.filter((_, n) => n % 2 === 1)),
    };
    return { numbers, curves: { preferred: line('chosen'), others: line('rejected') } };
  });
}

/** From thumbs up and thumbs down for the replies of the same pairs, each by itself: good is what is better than their mean. */
function learnByKTO(world: World): AsyncGenerator<unknown, Outcome, void> {
  const { seed, settings, first, train } = world;
  return withPolicy(first, async function* (engine) {
    const replies = train.flatMap(({ task, chosen, rejected }) => [
      { task, reply: chosen },
      { task, reply: rejected },
    ]);
    const bar = mean(replies.map(({ task, reply }) => goldOf(task, reply)));
    const rows = labelReplies(replies, { noise: settings.noise, seed, bar }).map(
      ({ task, reply, label }): UnpairedPreferenceRow => ({
        prompt: promptOf(task),
        completion: reply.tokens,
        label,
      }),
    );
    const config = { batchSize: 2 * BATCH, maxSteps: settings.offlineSteps, learningRate: 2e-4, seed };
    yield* kto({ engine, rows, config });
    return { numbers: await judge(engine, world) };
  });
}

/** GRPO on the gold reward, or on that of `rewardFunction`. */
function climb(
  { seed, settings, first, ...world }: World,
  rewardFunction?: RewardFunction,
): AsyncGenerator<unknown, Outcome, void> {
  return withPolicy(first, async function* (engine) {
    const config = {
      maxSteps: settings.grpoSteps,
      maxCompletionLength: MAX_COMPLETION,
      learningRate: 5e-4,
      seed,
    };
    const reason: CurvePoint[] = [];
    const judged = rewardFunction === undefined ? {} : { rewardFunction };
    for await (const step of grpo({
      engine,
      tokenizer,
      env: environment,
      tasks: trainTasks,
      config,
      ...judged,
    })) {
      const share = mean(step.completions.map(({ rewards }) => givesReason(rewards)));
      reason.push({ x: step.step, y: share });
      yield step;
    }
    return { numbers: await judge(engine, { seed, settings, first, ...world }), curves: { reason } };
  });
}

/** What a policy’s replies to held-out requests are like, and whether it orders held-out pairs as the gold reward does. */
async function judge(engine: Engine, world: World): Promise<Record<string, number>> {
  const { seed, settings, reference, test } = world;
  const groups = await drawReplies(engine, testTasks, {
    numGenerations: settings.samples,
    seed,
    purpose: 'judge',
  });
  const episodes = groups.flatMap((group) => group.episodes);
  const isFirst = engine === reference;
  return {
    gold: mean(episodes.map(({ metrics }) => metrics['gold'] as number)),
    reason: mean(episodes.map(({ metrics }) => givesReason(metrics))),
    ...(isFirst ? {} : { kl: await divergence(episodes, reference) }),
    ...(isFirst ? {} : { order: agreementOf(test, await shiftsOf(engine, world, test)).gold }),
  };
}

function givesReason(terms: Readonly<Record<string, number>>): number {
  return (terms['terms/reason'] as number) > 0 ? 1 : 0;
}

/** How much likelier a policy makes each reply than the first one does, chosen and rejected by turns: its implicit rewards, over β. */
async function shiftsOf(
  engine: Engine,
  { reference }: World,
  comparisons: readonly Comparison[],
): Promise<number[]> {
  const sequences = comparisons.flatMap((comparison) => {
    const promptLength = promptOf(comparison.task).length;
    return bothSides(comparison).map((tokens) => ({
      tokens,
      mask: tokens.map((_, t) => (t < promptLength ? 0 : 1)),
    }));
  });
  const [now, before] = [await engine.logprobs(sequences), await reference.logprobs(sequences)];
  return now.map((logprobs, n) => sumOf(logprobs) - sumOf(before[n] as Float32Array));
}
