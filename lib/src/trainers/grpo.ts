import type { Datum, Engine, ForwardBackwardResult, LogprobScorer, OptimResult } from '../engine/types.js';
import type { Environment, Task } from '../envs/types.js';
import { mean } from '../losses/index.js';
import type { RewardFunction } from '../rollout/index.js';
import type { Tokenizer } from '../text/index.js';
import { completionsOf, type GRPOCompletion } from './completions.js';
import { clippedRatio } from './episode-metrics.js';
import { grpoBatch } from './grpo-batch.js';
import { defineGRPOConfig, type GRPOConfig } from './grpo-config.js';
import { sampleStep, type StepSamples } from './grpo-groups.js';
import { grpoLoss } from './grpo-loss.js';
import { clipMetrics, policyMetrics, samplingMetrics } from './grpo-metrics.js';
import { comparesWithinGroups } from './grpo-rules.js';
import { finiteMetrics, meanOfKnown, type Metrics } from './metrics.js';
import { opposedRewards } from './opposed-rewards.js';
import { optimParamsAt } from './optimizer-config.js';
import { openReference, type Reference } from './reference.js';
import { countRefused } from './refused-steps.js';
import { requireAgreement, type SampledBatch } from './sampled-batch.js';
import { correctForSampler } from './sampler-correction.js';
import { samplingStart, type SamplingState, stateAfter, taskOrder } from './sampling.js';
import { hasTrainedTokens } from './trained-tokens.js';

export interface GRPOOptions<T extends Task> {
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  readonly env: Environment<T>;
  readonly tasks: readonly T[];
  readonly config?: Partial<GRPOConfig>;
  /** Judges the episodes in place of the environment, whose rewards are then reported as `rewards/environment/mean`. */
  readonly rewardFunction?: RewardFunction;
  /** What `beta` > 0 pulls towards; default: a frozen copy of the policy at the start. A resumed run must be given the same one. */
  readonly reference?: LogprobScorer;
  /** Where to go on: the `state` of the last step, after `engine.load`. Default: from the start. */
  readonly state?: GRPOState;
  /** Stops the run between two steps. */
  readonly signal?: AbortSignal;
}

export type GRPOState = SamplingState;

export interface GRPOStep {
  /** 1-based. */
  readonly step: number;
  readonly totalSteps: number;
  /** TRL's keys: `reward`, `reward_std`, `rewards/<name>/mean`, `completions/…`, `loss`, `grad_norm`, `entropy`, `kl` (only with beta > 0), … */
  readonly metrics: Metrics;
  /** Seconds; apart from `metrics`, because no two runs share them. */
  readonly timing: { readonly step_time: number; readonly sampling_time: number };
  readonly completions: readonly GRPOCompletion[];
  /** What the user should know; empty when all is well. */
  readonly warnings: readonly string[];
  readonly state: GRPOState;
}

/** Almost all replies are cut before they end, so rewards say nothing about what they could have become. */
export class TruncatedCompletionsError extends Error {
  override readonly name = 'TruncatedCompletionsError';
}

/**
 * Group relative policy optimization (DeepSeekMath, arXiv 2402.03300): several attempts at each task, their mean as baseline,
 * tokens of better attempts made likelier. One yield per step: sample, compare, update `numIterations` times.
 * The settings in `grpoPresets` make it DAPO, Dr. GRPO, RLOO or REINFORCE.
 *
 * `loss` says little: on-policy ratios are 1 and a group's advantages sum to 0, so it is 0 up to differences in length (exactly 0 with
 * `lossType` grpo) while its gradient is not. Watch `reward` and `grad_norm`.
 * A step without any trained token (all cut, or no group with signal) updates nothing and reports `step_skipped` 1.
 *
 * @throws ConfigError before the first step; TruncatedCompletionsError or LogprobMismatchError in the first;
 *   NonFiniteError after three refused updates in a row.
 */
export async function* grpo<T extends Task>(options: GRPOOptions<T>): AsyncGenerator<GRPOStep, void, void> {
  const { engine, tokenizer, env, tasks, rewardFunction, signal } = options;
  const config = defineGRPOConfig(options.config);
  const taskAt = taskOrder(tasks, config);
  let state = options.state ?? samplingStart;
  const reference = config.beta === 0 ? undefined : await openReference(options, state.step);

  try {
    while (state.step < config.maxSteps && !signal?.aborted) {
      const started = performance.now();
      const sampling = { engine, tokenizer, env, taskAt, rewardFunction };
      const samples = await sampleStep(sampling, config, state.step, state.tasks);
      const sampled = performance.now();
      const warnings = state.step === 0 ? preflight(samples, config) : [];

      const sampledBatch = grpoBatch(samples.trained, config, engine.policyVersion);
      const corrected = await correctForSampler(sampledBatch, engine, config);
      const batch = await withReference(corrected.batch, reference, config);
      const update = await updatePolicy(engine, batch, config, state);

      state = stateAfter(state, samples.groups, update);
      const metrics = finiteMetrics({
        ...samplingMetrics(samples, config),
        ...corrected.metrics,
        ...update.metrics,
        num_tokens: state.numTokens,
        num_samples: state.samples,
        epoch: state.tasks / tasks.length,
      });
      const finished = performance.now();
      yield {
        step: state.step,
        totalSteps: config.maxSteps,
        metrics,
        timing: { step_time: (finished - started) / 1000, sampling_time: (sampled - started) / 1000 },
        completions: completionsOf(samples, tokenizer, config),
        warnings,
        state,
      };
    }
  } finally {
    reference?.close();
  }
}

async function withReference(
  batch: SampledBatch,
  reference: Reference | undefined,
  config: GRPOConfig,
): Promise<SampledBatch> {
  if (reference === undefined || batch.data.length === 0) return batch;
  const sequences = batch.data.map(({ tokens, weights }) => ({ tokens, mask: weights }));
  const refLogprobs = await reference.logprobs(sequences, config.temperature);
  const data = batch.data.map((datum, row): Datum => ({
    ...datum,
    refLogprobs: refLogprobs[row] as Float32Array,
  }));
  return { ...batch, data };
}

interface PolicyUpdate {
  readonly metrics: Readonly<Record<string, number | undefined>>;
  readonly updates: number;
  readonly refused: number;
}

/** `numIterations` optimizer updates on one batch; the log-probabilities seen by the first are the old ones of the others. */
async function updatePolicy(
  engine: Engine,
  batch: SampledBatch,
  config: GRPOConfig,
  state: GRPOState,
): Promise<PolicyUpdate> {
  if (!hasTrainedTokens(batch.data))
    return { metrics: { step_skipped: 1 }, updates: 0, refused: state.refused };
  const loss = grpoLoss(config);
  const totalUpdates = config.maxSteps * config.numIterations;
  const forwards: ForwardBackwardResult[] = [];
  const optims: OptimResult[] = [];
  let { updates, refused } = state;
  let learningRate = 0;

  for (let iteration = 0; iteration < config.numIterations; iteration += 1) {
    const data = batch.data.map((datum, row): Datum => {
      const oldLogprobs = forwards[0]?.logprobs[row];
      return oldLogprobs === undefined ? datum : { ...datum, oldLogprobs };
    });
    const params = optimParamsAt(updates, totalUpdates, config);
    const forward = await engine.forwardBackward(data, loss, config.temperature);
    if (state.step === 0 && iteration === 0) requireAgreement(batch, forward, config);
    const optim = await engine.optimStep(params);
    refused = countRefused(refused, optim, state.step + 1, data);
    if (optim.stepped) updates += 1;
    ({ learningRate } = params);
    forwards.push(forward);
    optims.push(optim);
  }

  const first = forwards[0] as ForwardBackwardResult;
  return {
    metrics: {
      loss: mean(forwards.map((forward) => forward.loss)),
      grad_norm: meanOfKnown(optims.map(({ gradNorm }) => gradNorm)),
      learning_rate: learningRate,
      step_skipped: optims.every(({ stepped }) => stepped) ? 0 : 1,
      ...policyMetrics(batch, first, config),
      ...clipMetrics(batch, forwards, config),
    },
    updates: updates - state.updates,
    refused,
  };
}

/** Whether replies are cut, and whether rewards say anything. Checked once, on the samples of the first step. */
function preflight<T extends Task>({ groups }: StepSamples<T>, config: GRPOConfig): string[] {
  const ratio = clippedRatio(groups.flatMap(({ episodes }) => episodes));
  const finding = `${Math.round(100 * ratio)} % of the replies ran out of tokens`;
  const remedy = 'Raise maxCompletionLength, or fine-tune (SFT) until the policy knows when to stop';
  if (ratio > config.maxClippedRatio) {
    throw new TruncatedCompletionsError(
      `${finding}, more than maxClippedRatio ${config.maxClippedRatio}. ${remedy}.`,
    );
  }
  const small = comparesWithinGroups(config) && groups.some(({ constant, std }) => constant && std > 1e-6);
  return [
    ...(ratio > 0.1 ? [`${finding}. ${remedy}.`] : []),
    ...(small
      ? [
          `Some groups’ rewards differ by less than zeroStdThreshold ${config.zeroStdThreshold} and count as equal.`,
        ]
      : []),
    ...(comparesWithinGroups(config) ? opposedRewards(groups) : []),
  ];
}
