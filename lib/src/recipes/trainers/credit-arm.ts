/** One way of giving credit to the turns of an episode, and a policy that learns with it. */
import { createLocalEngine, createScalarEngine, type Engine } from '../../engine/index.js';
import {
  keyDoorEnvironment,
  type KeyDoorReward,
  type KeyDoorTask,
  keyDoorTasks,
  keyDoorTurns,
} from '../../envs/key-door/index.js';
import { mean } from '../../losses/index.js';
import { cloneModel, disposeModel, withScalarHead, type Model } from '../../model/index.js';
import type { Tokenizer } from '../../text/index.js';
import type { EpisodeGroup } from '../../rollout/index.js';
import { grpoBatch } from '../../trainers/grpo-batch.js';
import { defineGRPOConfig } from '../../trainers/grpo-config.js';
import { grpoLoss } from '../../trainers/grpo-loss.js';
import { type SampledStep, sampledSteps } from '../../trainers/sampled-steps.js';
import { criticCredit, type CriticOptions, type TurnCredit } from './turn-credit.js';

/** A reward and how its credit is given to the turns. */
export interface CreditArm {
  readonly reward: KeyDoorReward;
  /** A critic is made for the run. */
  readonly credit: TurnCredit | Pick<CriticOptions, 'lam' | 'criticLam'>;
}

export interface CreditSettings {
  /** Steps of every arm, whether the task is solved before or not. */
  readonly steps: number;
  readonly numGenerations: number;
  readonly learningRate: number;
  readonly criticLearningRate: number;
  readonly criticEpochs: number;
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
      const advantages = await credit(groups);
      run.magnitudes.push(meanSizes(advantages.flat()));
      await learnTurns(engine, groups, advantages);
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
    credit: criticCredit({ ...credit, critic, learningRate: criticLearningRate, epochs: criticEpochs }),
    dispose: () => {
      critic.dispose();
      disposeModel(model);
    },
  };
}

async function learnTurns(
  engine: Engine,
  groups: readonly EpisodeGroup<KeyDoorTask>[],
  advantages: Awaited<ReturnType<TurnCredit>>,
): Promise<void> {
  const config = defineGRPOConfig();
  const credited = groups.map((group, g) => ({
    ...group,
    turnAdvantages: advantages[g] as readonly (readonly number[])[],
  }));
  const { data } = grpoBatch(credited, config, engine.policyVersion);
  await engine.forwardBackward(data, grpoLoss(config));
}

/** Mean |advantage| of each turn over the episodes that reached it. */
function meanSizes(episodes: readonly (readonly number[])[]): number[] {
  return keyDoorTurns.map((_, turn) =>
    mean(episodes.flatMap((turns) => (turn < turns.length ? [Math.abs(turns[turn] as number)] : []))),
  );
}
