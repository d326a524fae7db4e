import type { Datum, DistributionScorer, Engine, ForwardBackwardResult } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import type { EpisodeGroup } from '../rollout/index.js';
import { uniform } from '../tensor/random.js';
import { dataOrder } from './data-order.js';
import { defineGKDConfig, type GKDConfig } from './gkd-config.js';
import type { Values } from './metrics.js';
import { optimParamsAt } from './optimizer-config.js';
import { countRefused } from './refused-steps.js';
import { ConfigError } from './resolve-config.js';
import { imitationMetrics, meanOverTokens } from './row-batch.js';
import { agreementMetrics, requireAgreement, requireFresh } from './sampled-batch.js';
import { type Learned, type SampledOptions, type SampledStep, sampledSteps } from './sampled-steps.js';
import { episodesOf, type SamplingState } from './sampling.js';
import { type Example, exampleOf, type SFTRow } from './sft-rows.js';
import { hasTrainedTokens } from './trained-tokens.js';

/** `engine` is the student. Rewards of `env` are logged, not learned from. */
export interface GKDOptions<T extends Task> extends SampledOptions<T> {
  /** Knows a distribution for every token, over the student's vocabulary. The caller disposes it. */
  readonly teacher: DistributionScorer;
  /** What is learned from when it is not the student's turn; needed unless `lmbda` is 1. The teacher's own answers, or anyone's. */
  readonly rows?: readonly SFTRow[];
  readonly config?: Partial<GKDConfig>;
}

export type GKDState = SamplingState;

/**
 * `metrics`: `loss` (the divergence, mean over the tokens of the step, nats), `entropy`, `grad_norm`, `learning_rate`, `step_skipped`, and
 * those of every `SampledStep`; in steps on rows `mean_token_accuracy` and `truncated_rows`, in the others `sampling/…`.
 */
export type GKDStep = SampledStep;

/** Tokens whose distributions are held at a time: enough work for several threads, 25 MB for a vocabulary of 1,536. */
const TOKENS_AT_ONCE = 4096;

/**
 * Generalized knowledge distillation: at every token of a reply the student's whole distribution is drawn towards the teacher's, in replies
 * of the student itself (a share `lmbda` of the steps, drawn by lot) or in given ones. One yield per step: replies, teacher, one update.
 *
 * `distill` does the same at `lmbda` 1 and `beta` 1 from the sampled tokens alone: any teacher that scores tokens will do, but one sample
 * stands for the whole vocabulary and its gradient is the noisier for it. Here student and teacher must share the vocabulary.
 *
 * A step on rows takes as many of them as a step of samples has episodes. Mean over all trained tokens of the step.
 *
 * Source: Agarwal et al. 2024, arXiv 2306.13649; TRL's `GKDTrainer`.
 *
 * @throws ConfigError or NoTrainableTokensError before the first step; LogprobMismatchError in the first on samples; an Error when the teacher has
 *   another vocabulary; NonFiniteError after three refused updates in a row.
 */
export async function* gkd<T extends Task>(options: GKDOptions<T>): AsyncGenerator<GKDStep, void, void> {
  const { engine, teacher, rows = [] } = options;
  const config = defineGKDConfig(options.config);
  if (rows.length === 0 && config.lmbda < 1)
    throw new ConfigError(
      `GKDConfig: lmbda is ${config.lmbda}, so some steps learn from \`rows\`, but there are none. Give some, or set lmbda to 1.`,
    );
  const given = rowsOfStep(rows, engine.maxLength, config);
  const isStudentsTurn = (step: number): boolean => uniform(config.seed, 'lmbda', step, 0) < config.lmbda;
  const tasksAt = (step: number): number => (isStudentsTurn(step) ? config.promptsPerStep : 0);

  const learn = async (groups: readonly EpisodeGroup<T>[], state: SamplingState): Promise<Learned> => {
    const { data, measure, tokensRead } = isStudentsTurn(state.step)
      ? ownReplies(groups, engine.policyVersion, state.samples === 0, config)
      : givenReplies(given(state));
    if (!hasTrainedTokens(data)) return { metrics: { step_skipped: 1 }, updates: 0, refused: state.refused };
    const params = optimParamsAt(state.updates, config.maxSteps, config);
    const forward = await approachTeacher(engine, teacher, data, config);
    const measured = measure(forward);
    const optim = await engine.optimStep(params);
    const metrics = {
      loss: forward.loss,
      grad_norm: optim.gradNorm,
      learning_rate: params.learningRate,
      step_skipped: optim.stepped ? 0 : 1,
      ...measured,
    };
    const refused = countRefused(state.refused, optim, state.step + 1, data);
    return { metrics, updates: optim.stepped ? 1 : 0, refused, tokensRead };
  };
  yield* sampledSteps(options, config, learn, tasksAt);
}

/** What a step learns from. */
interface Replies {
  readonly data: readonly Datum[];
  /** What the student thinks of them before the update. */
  readonly measure: (forward: ForwardBackwardResult) => Values;
  /** Tokens that no episode counts. */
  readonly tokensRead: number;
}

function ownReplies<T extends Task>(
  groups: readonly EpisodeGroup<T>[],
  policyVersion: number,
  isFirst: boolean,
  config: GKDConfig,
): Replies {
  const episodes = episodesOf(groups);
  episodes.forEach((episode) => requireFresh(episode, policyVersion));
  const trajectories = episodes.flatMap((episode) => episode.trajectories);
  const data = meanOverTokens(trajectories.map(({ tokens, actionMask: mask }) => ({ tokens, mask })));
  const batch = { data, trajectories };
  const measure = (forward: ForwardBackwardResult): Values => {
    if (isFirst) requireAgreement(batch, forward, config);
    return agreementMetrics(batch, forward);
  };
  return { data, measure, tokensRead: 0 };
}

function givenReplies(examples: readonly Example[]): Replies {
  const data = meanOverTokens(examples);
  const measure = (forward: ForwardBackwardResult): Values => ({
    ...imitationMetrics(data, forward),
    truncated_rows: examples.filter(({ truncated }) => truncated).length,
  });
  return { data, measure, tokensRead: data.reduce((sum, { tokens }) => sum + tokens.length, 0) };
}

/** The examples of each step on rows: as many as another step has episodes, the next ones after those of the last such step. */
function rowsOfStep(
  rows: readonly SFTRow[],
  maxLength: number,
  { promptsPerStep, numGenerations, seed, shuffleDataset }: GKDConfig,
): (state: SamplingState) => Example[] {
  const example = (index: number): Example =>
    exampleOf(rows[index] as SFTRow, index, { maxLength, completionOnlyLoss: true });
  rows.forEach((_, index) => example(index));
  const order = dataOrder(rows.length, seed, shuffleDataset);
  const count = promptsPerStep * numGenerations;
  return ({ step, tasks }) => {
    const stepsOnRows = step - tasks / promptsPerStep;
    return Array.from({ length: count }, (_, n) => example(order(stepsOnRows * count + n)));
  };
}

/** Adds the gradient of the divergence from the teacher to the engine's, so many tokens at a time that their distributions fit. */
async function approachTeacher(
  engine: Engine,
  teacher: DistributionScorer,
  data: readonly Datum[],
  { beta, temperature }: GKDConfig,
): Promise<ForwardBackwardResult> {
  const forwards: ForwardBackwardResult[] = [];
  for (const part of partsOf(data)) {
    const distributions = await teacher.distributions(
      part.map(({ tokens, weights }) => ({ tokens, mask: weights })),
    );
    const taught = part.map((datum, row): Datum => ({
      ...datum,
      teacherLogprobs: distributions[row] as Float32Array,
    }));
    forwards.push(await engine.forwardBackward(taught, { name: 'generalized_jsd', beta }, temperature));
  }
  return {
    loss: forwards.reduce((sum, { loss }) => sum + loss, 0),
    logprobs: forwards.flatMap(({ logprobs }) => logprobs),
    entropies: forwards.flatMap(({ entropies }) => entropies ?? []),
    hits: forwards.flatMap(({ hits }) => hits ?? []),
  };
}

/** The data in order, cut after every `TOKENS_AT_ONCE` tokens. */
function partsOf(data: readonly Datum[]): Datum[][] {
  const parts: Datum[][] = [];
  let held = TOKENS_AT_ONCE;
  for (const datum of data) {
    if (held + datum.tokens.length > TOKENS_AT_ONCE) {
      parts.push([]);
      held = 0;
    }
    parts.at(-1)?.push(datum);
    held += datum.tokens.length;
  }
  return parts;
}
