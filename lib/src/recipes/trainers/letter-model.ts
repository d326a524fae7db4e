/** A small model that knows three letter rules, and what it learns then: a new rule, or which of the three to choose. */
import { createLocalEngine, type Engine } from '../../engine/index.js';
import { evaluateLoss } from '../../eval/index.js';
import {
  addAdapter,
  cloneModel,
  createModel,
  disposeAdapter,
  disposeModel,
  mergeAdapter,
  type Model,
  type ModelConfig,
} from '../../model/index.js';
import type { Tokenizer } from '../../text/index.js';
import { grpo, type GRPOConfig, sft } from '../../trainers/index.js';
import {
  knownRules,
  knownTasks,
  letterEnvironment,
  letterTasks,
  NEW_SIGN,
  newRule,
  OPEN_SIGN,
  rowOf,
} from './letter-rules.js';
import { lastOf } from './measurements.js';

export type Stage = 'SFT' | 'RL';

/** What is trained. */
export interface Adaptation {
  readonly stage: Stage;
  /** Absent: all weights. */
  readonly lora?: { readonly r: number; readonly targetModules?: readonly string[] };
}

/** The rank at which placement and learning rate are compared; TRL's default. */
export const RANK = 16;

/** The larger, the better. */
export interface Outcome {
  readonly score: number;
  readonly numbers: Readonly<Record<string, number>>;
}

const modelConfig = (vocabSize: number): ModelConfig => ({
  modelType: 'llama',
  vocabSize,
  hiddenSize: 64,
  intermediateSize: 160,
  numHiddenLayers: 2,
  numAttentionHeads: 4,
  numKeyValueHeads: 4,
  headDim: 16,
  maxPositionEmbeddings: 32,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: true,
});

/** About 110,000 weights that know three rules. */
export async function letterModel(seed: number, tokenizer: Tokenizer, maxSteps: number): Promise<Model> {
  const model = createModel(modelConfig(tokenizer.vocabSize), seed);
  const rows = knownTasks(seed, 2000).map((task) => rowOf(task, tokenizer));
  const engine = createLocalEngine(model);
  try {
    await lastOf(sft({ engine, rows, config: { maxSteps, batchSize: 64, learningRate: 5e-3, seed } }));
    return model;
  } finally {
    engine.dispose();
  }
}

/** How long a stage learns. */
export interface LearningSteps {
  readonly sftSteps: number;
  readonly rlSteps: number;
}

interface Run {
  readonly seed: number;
  readonly learningRate: number;
  readonly settings: LearningSteps;
}

/** Trains a copy of the base, or an adapter on it, and says how well it has learned. */
export async function adapt(
  base: Model,
  tokenizer: Tokenizer,
  { stage, lora }: Adaptation,
  run: Run,
): Promise<Outcome> {
  const model =
    lora === undefined
      ? cloneModel(base)
      : addAdapter(base, { ...lora, loraAlpha: 2 * RANK, seed: run.seed });
  const engine = createLocalEngine(model);
  try {
    const trained = [...(model.adapter ?? model).weights.values()].reduce((sum, { size }) => sum + size, 0);
    return stage === 'SFT'
      ? await learnRule(engine, model, tokenizer, trained, run)
      : await learnChoice(engine, tokenizer, trained, run);
  } finally {
    engine.dispose();
    if (model.adapter === undefined) disposeModel(model);
    else disposeAdapter(model.adapter);
  }
}

/** SFT on a rule that the base has never seen. */
async function learnRule(
  engine: Engine,
  model: Model,
  tokenizer: Tokenizer,
  trained: number,
  { seed, learningRate, settings: { sftSteps } }: Run,
): Promise<Outcome> {
  const rowsOf = (split: string, count: number): ReturnType<typeof rowOf>[] =>
    letterTasks({ sign: NEW_SIGN, rule: newRule, split, seed }, count).map((task) => rowOf(task, tokenizer));
  const config = {
    maxSteps: sftSteps,
    batchSize: 32,
    learningRate,
    lrSchedulerType: 'constant',
    warmupSteps: 0,
    seed,
  } as const;
  await lastOf(sft({ engine, rows: rowsOf('train', 1000), config }));
  const heldOut = rowsOf('held-out', 128);
  const loss = await evaluateLoss(engine, heldOut);
  const numbers = { loss, trained };
  if (model.adapter === undefined) return { score: -loss, numbers };
  return {
    score: -loss,
    numbers: { ...numbers, merged: Math.abs((await lossOfMerged(model, heldOut)) - loss) },
  };
}

async function lossOfMerged(model: Model, rows: readonly ReturnType<typeof rowOf>[]): Promise<number> {
  const merged = mergeAdapter(model);
  const engine = createLocalEngine(merged);
  try {
    return await evaluateLoss(engine, rows);
  } finally {
    engine.dispose();
    disposeModel(merged);
  }
}

/** Steps at the end of a run over which the reward is averaged. */
const LAST = 5;

/** RL on a choice: of the three rules that the base follows under `?`, one is rewarded. */
async function learnChoice(
  engine: Engine,
  tokenizer: Tokenizer,
  trained: number,
  { seed, learningRate, settings: { rlSteps } }: Run,
): Promise<Outcome> {
  const tasks = letterTasks({ sign: OPEN_SIGN, rule: knownRules['<'], split: 'train', seed }, 1000);
  const rewards: number[] = [];
  const config: Partial<GRPOConfig> = {
    promptsPerStep: 8,
    numGenerations: 8,
    maxCompletionLength: 6,
    maxSteps: rlSteps,
    learningRate,
    lrSchedulerType: 'constant',
    warmupSteps: 0,
    // the base may not know yet when to stop in the short form
    maxClippedRatio: 1,
    seed,
  };
  for await (const { metrics } of grpo({ engine, tokenizer, env: letterEnvironment, tasks, config }))
    rewards.push(metrics['reward'] ?? 0);
  const last = rewards.slice(-LAST);
  const reward = last.reduce((sum, value) => sum + value, 0) / last.length;
  return { score: reward, numbers: { reward, trained } };
}
