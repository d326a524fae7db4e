/** One way of giving credit to the turns of an episode, and a policy that learns with it. */
import { createLocalEngine, createScalarEngine, type Engine } from '../../engine/index.js';
import {
  keyDoorEnvironment,
  type KeyDoorReward,
  type KeyDoorTask,
  keyDoorTasks,
  keyDoorTurns,
} from '../../envs/key-door/index.js';
import { mean, spreadOverTurns, tokenWeights } from '../../losses/index.js';
import { cloneModel, disposeModel, withScalarHead, type Model } from '../../model/index.js';
import type { Tokenizer } from '../../text/index.js';
import { type SampledStep, sampledSteps } from '../../trainers/sampled-steps.js';
import {
  criticCredit,
  ofTrajectories,
  type TurnCredit,
  turnRewards,
  type TurnRewards,
} from './turn-credit.js';

/** A reward and how its credit is given to the turns. */
export interface CreditArm {
  readonly reward: KeyDoorReward;
  /** A critic is made for the run. */
  readonly credit: TurnCredit | { readonly lam: number };
}

export interface CreditSettings {
  /** Steps of every arm, whether the task is solved before or not. */
  readonly steps: number;
  readonly numGenerations: number;
  readonly learningRate: number;
  readonly criticLearningRate: number;
  readonly criticEpochs: number;
  /** Steps in which the critic alone learns, from the episodes of a policy that stands still; they count. */
  readonly criticWarmupSteps: number;
}

/** What a run has come to, step by step. */
export interface ArmRun {
  /** Share of doors opened, a step each. */
  readonly success: number[];
  /** Mean |advantage| of each turn, a step each: `[steps][turns]`. */
  readonly magnitudes: number[][];
}

/** The same policy gradient for every arm; only the credit differs. */
export async function* learnWithCredit(
  base: Model,
  tokenizer: Tokenizer,
  arm: CreditArm,
  seed: number,
  settings: CreditSettings,
  run: ArmRun,
): AsyncGenerator<SampledStep, void, void> {
  const { steps: maxSteps, numGenerations, learningRate } = settings;
  const env = keyDoorEnvironment(arm.reward);
  const task = keyDoorTasks[seed % keyDoorTasks.length] as KeyDoorTask;
  const policy = cloneModel(base);
  const engine = createLocalEngine(policy);
  const { credit, dispose } = creditOf(arm, base, settings);
  const sampling = {
    promptsPerStep: 1,
    numGenerations,
    maxCompletionLength: 3,
    maxTurns: keyDoorTurns.length,
  };
  const config = { ...sampling, maxSteps, seed, temperature: 1, shuffleDataset: true };
  try {
    yield* sampledSteps({ engine, tokenizer, env, tasks: [task] }, config, async (groups, state) => {
      const episodes = groups.map(turnRewards);
      const advantages = await credit(episodes);
      if (typeof arm.credit === 'object' && state.step < settings.criticWarmupSteps)
        return { metrics: {}, updates: 0, refused: state.refused };
      run.magnitudes.push(meanSizes(advantages.flat()));
      await learnTurns(engine, episodes.flat(), advantages.flat());
      const { stepped } = await engine.optimStep({ learningRate });
      return { metrics: {}, updates: 1, refused: stepped ? 0 : state.refused + 1 };
    });
  } finally {
    dispose();
    engine.dispose();
    disposeModel(policy);
  }
}

function creditOf(
  { credit }: CreditArm,
  base: Model,
  { criticLearningRate, criticEpochs }: CreditSettings,
): { readonly credit: TurnCredit; readonly dispose: () => void } {
  if (typeof credit === 'function') return { credit, dispose: () => {} };
  const model = withScalarHead(base);
  const critic = createScalarEngine(model);
  return {
    credit: criticCredit({ critic, lam: credit.lam, learningRate: criticLearningRate, epochs: criticEpochs }),
    dispose: () => {
      critic.dispose();
      disposeModel(model);
    },
  };
}

async function learnTurns(
  engine: Engine,
  episodes: readonly TurnRewards[],
  advantages: readonly (readonly number[])[],
): Promise<void> {
  const parts = episodes.flatMap((episode, e) => ofTrajectories(episode, advantages[e] as readonly number[]));
  const masks = parts.map(({ trajectory }) => trajectory.actionMask);
  const weights = tokenWeights(masks, 'dapo', 0);
  const data = parts.map(({ trajectory: { tokens, turns }, values }, row) => ({
    tokens,
    weights: weights[row] as Float32Array,
    advantages: spreadOverTurns(values, turns, tokens.length),
  }));
  await engine.forwardBackward(data, {
    name: 'policy_gradient',
    epsilon: 0.2,
    epsilonHigh: 0.2,
    delta: null,
    beta: 0,
  });
}

/** Mean |advantage| of each turn over the episodes that reached it. */
function meanSizes(episodes: readonly (readonly number[])[]): number[] {
  return keyDoorTurns.map((_, turn) =>
    mean(episodes.flatMap((turns) => (turn < turns.length ? [Math.abs(turns[turn] as number)] : []))),
  );
}
