/** What the experiments on preferences share: a small world, its tokens, and the policy that all begin with. */
import {
  createLocalEngine,
  createScalarEngine,
  type Engine,
  type LogprobScorer,
  type ScalarEngine,
} from '../../../engine/index.js';
import {
  preferenceEnvironment,
  preferenceTasks,
  preferenceWords,
  requestOf,
  writeReply,
  type PreferenceTask,
} from '../../../envs/preference/index.js';
import type { Environment } from '../../../envs/types.js';
import { mean } from '../../../losses/index.js';
import {
  cloneModel,
  createModel,
  disposeModel,
  withScalarHead,
  type Model,
  type ModelConfig,
} from '../../../model/index.js';
import { rollout, type EpisodeGroup, type EpisodeRecord } from '../../../rollout/index.js';
import { randomStream } from '../../../tensor/random.js';
import { renderCompletion, renderPrompt, wordTokenizer, type Tokenizer } from '../../../text/index.js';
import { sft, type PromptCompletionRow } from '../../../trainers/index.js';
import type { Progress } from '../experiment.js';

/** Longest reply in tokens, its end included; no writer's is longer. */
export const MAX_COMPLETION = 16;

/** Added to a seed where labels are held out, or they would err where those that are learned from do. */
export const HELD_OUT_SEEDS = 1000;

export const tokenizer: Tokenizer = wordTokenizer(preferenceWords);
export const environment: Environment<PreferenceTask> = preferenceEnvironment();
export const trainTasks: readonly PreferenceTask[] = preferenceTasks('train');
export const testTasks: readonly PreferenceTask[] = preferenceTasks('test');

/** 96,000 weights. */
const modelConfig: ModelConfig = {
  modelType: 'llama',
  vocabSize: tokenizer.vocabSize,
  hiddenSize: 64,
  intermediateSize: 160,
  numHiddenLayers: 2,
  numAttentionHeads: 2,
  numKeyValueHeads: 2,
  headDim: 32,
  maxPositionEmbeddings: 32,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  padTokenId: 0,
  eosTokenId: 1,
};

/** A policy that knows nothing yet. The caller owns it. */
export function newPolicy(seed: number): Model {
  return createModel(modelConfig, seed);
}

/** Makes a new policy write like the writers: the one that every arm begins with, and is held to. */
export async function* learnFromWriters(
  model: Model,
  { seed, maxSteps }: { readonly seed: number; readonly maxSteps: number },
): AsyncGenerator<unknown, void, void> {
  const batchSize = 64;
  const rows = demonstrations(seed, maxSteps * batchSize);
  const config = { batchSize, maxSteps, learningRate: 4e-3, seed };
  yield* withEngine(model, (engine) => sft({ engine, rows, config }));
}

function demonstrations(seed: number, count: number): PromptCompletionRow[] {
  return Array.from({ length: count }, (_, index) => {
    const random = randomStream(seed, 'rlhf/demonstrations', 0, index);
    const task = random.pick(trainTasks);
    return { prompt: promptOf(task), completion: renderCompletion(tokenizer, writeReply(task, random)) };
  });
}

export function promptOf(task: PreferenceTask): Int32Array {
  return renderPrompt(tokenizer, [{ role: 'user', content: requestOf(task) }]);
}

/** An engine of `model` for as long as `use` takes. */
export async function* withEngine<Step, Result>(
  model: Model,
  use: (engine: Engine) => AsyncGenerator<Step, Result, void>,
): AsyncGenerator<Step, Result, void> {
  const engine = createLocalEngine(model);
  try {
    return yield* use(engine);
  } finally {
    engine.dispose();
  }
}

/** A policy that starts as `reference` for as long as `use` takes; the reference stays as it is. */
export async function* withPolicy<Step, Result>(
  reference: Model,
  use: (engine: Engine) => AsyncGenerator<Step, Result, void>,
): AsyncGenerator<Step, Result, void> {
  const model = cloneModel(reference);
  try {
    return yield* withEngine(model, use);
  } finally {
    disposeModel(model);
  }
}

/** A model with a scalar head on the layers of `reference`, a critic or a reward model, for as long as `use` takes. */
export async function* withScorer<Step, Result>(
  reference: Model,
  use: (engine: ScalarEngine) => AsyncGenerator<Step, Result, void>,
): AsyncGenerator<Step, Result, void> {
  const model = withScalarHead(reference);
  const engine = createScalarEngine(model);
  try {
    return yield* use(engine);
  } finally {
    engine.dispose();
    disposeModel(model);
  }
}

/** Replies of a policy to each task. */
export function drawReplies(
  engine: Engine,
  tasks: readonly PreferenceTask[],
  options: { readonly numGenerations: number; readonly seed: number; readonly purpose: string },
): Promise<EpisodeGroup<PreferenceTask>[]> {
  const shared = { engine, tokenizer, env: environment, tasks, step: 0, maxCompletionLength: MAX_COMPLETION };
  return rollout({ ...shared, ...options });
}

/** KL(policy ‖ reference) of a reply in nats, estimated from the policy’s own. */
export async function divergence(
  episodes: readonly EpisodeRecord[],
  reference: LogprobScorer,
): Promise<number> {
  const trajectories = episodes.flatMap((episode) => episode.trajectories);
  const refLogprobs = await reference.logprobs(
    trajectories.map(({ tokens, actionMask: mask }) => ({ tokens, mask })),
  );
  return mean(trajectories.map(({ logprobs }, n) => sumOf(logprobs) - sumOf(refLogprobs[n] as Float32Array)));
}

export function sumOf(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Counts the steps of several pieces of work as one: the function it returns runs one of them, and tells how far all are. */
export function workOf(
  total: number,
): <Result>(
  note: string,
  steps: AsyncGenerator<unknown, Result, void>,
) => AsyncGenerator<Progress, Result, void> {
  let done = 0;
  return async function* (note, steps) {
    try {
      for (;;) {
        const next = await steps.next();
        if (next.done === true) return next.value;
        yield { done, total, note };
        done += 1;
      }
    } finally {
      await steps.return(undefined as never);
    }
  };
}
