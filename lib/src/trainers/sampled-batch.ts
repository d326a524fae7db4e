/** Trajectories of the policy as the engine trains on them, and the checks that sampler and trainer are one policy. */
import type { Datum, ForwardBackwardResult } from '../engine/types.js';
import type { EpisodeRecord, Trajectory } from '../rollout/index.js';
import { streamMean, type Values } from './metrics.js';

/** Samples were drawn by a policy that has been updated since; training on them would take their ratios for 1. */
export class StaleSampleError extends Error {
  override readonly name = 'StaleSampleError';
}

/** Sampler and trainer disagree about the probability of the same tokens under the same weights. */
export class LogprobMismatchError extends Error {
  override readonly name = 'LogprobMismatchError';
}

export interface SampledBatch {
  readonly data: readonly Datum[];
  /** The trajectory each datum came from. */
  readonly trajectories: readonly Trajectory[];
}

/** @throws StaleSampleError unless the episode is from policy version `policyVersion`. */
export function requireFresh(episode: EpisodeRecord, policyVersion: number): void {
  if (episode.policyVersion === policyVersion) return;
  throw new StaleSampleError(
    `Task ${episode.taskId} was sampled by policy version ${episode.policyVersion}, the engine is at ${policyVersion}. Sample again before training.`,
  );
}

/** Mean and largest |trainer − sampler| log-probability over the trained tokens. */
export function logprobDifference(
  { data, trajectories }: SampledBatch,
  logprobs: readonly Float32Array[],
): { readonly mean: number; readonly max: number } {
  let sum = 0;
  let count = 0;
  let max = 0;
  data.forEach(({ weights }, row) =>
    weights.forEach((weight, t) => {
      if (weight === 0) return;
      const difference = Math.abs((logprobs[row]?.[t] ?? 0) - (trajectories[row]?.logprobs[t] ?? 0));
      sum += difference;
      count += 1;
      max = Math.max(max, difference);
    }),
  );
  return { mean: sum / Math.max(1, count), max };
}

/**
 * Before the first update nothing has changed since sampling, so both sides must have computed the same numbers.
 * @throws LogprobMismatchError when a token's differ by more than `logprobTolerance`.
 */
export function requireAgreement(
  batch: SampledBatch,
  forward: ForwardBackwardResult,
  { logprobTolerance }: { readonly logprobTolerance: number },
): void {
  const { max } = logprobDifference(batch, forward.logprobs);
  if (max <= logprobTolerance || !Number.isFinite(forward.loss)) return;
  throw new LogprobMismatchError(
    `Sampler and trainer disagree by ${max.toPrecision(3)} on the log-probability of a token (allowed: ${logprobTolerance}). ` +
      'On-policy training would start off-policy. On a 16-bit back end raise logprobTolerance; otherwise report it with `posttrain doctor`.',
  );
}

/** What the trainer saw of the sampled tokens before it changed anything: entropy, and how far sampler and trainer are apart. */
export function agreementMetrics(batch: SampledBatch, forward: ForwardBackwardResult): Values {
  const weights = batch.data.map((datum) => datum.weights);
  const difference = logprobDifference(batch, forward.logprobs);
  return {
    entropy: streamMean(weights, forward.entropies),
    'sampling/sampling_logp_difference/mean': difference.mean,
    'sampling/sampling_logp_difference/max': difference.max,
    'sampling/importance_sampling_ratio/max': Math.max(...sequenceRatios(batch, forward.logprobs)),
  };
}

/** π_trainer / π_sampler of each sequence: the product over its trained tokens, in which small differences add up (see `importanceWeights`). */
function sequenceRatios({ data, trajectories }: SampledBatch, logprobs: readonly Float32Array[]): number[] {
  return data.map(({ weights }, row) =>
    Math.exp(
      weights.reduce((sum, weight, t) => {
        const difference = (logprobs[row]?.[t] ?? 0) - (trajectories[row]?.logprobs[t] ?? 0);
        return weight === 0 ? sum : sum + difference;
      }, 0),
    ),
  );
}
