/** From sampled groups to what the engine trains on. */
import type { Datum } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import { tokenWeights } from '../losses/index.js';
import { isTruncated, type Trajectory } from '../rollout/index.js';
import type { GRPOConfig } from './grpo-config.js';
import type { ScoredGroup } from './grpo-groups.js';

/** Samples were drawn by a policy that has been updated since; training on them would take their ratios for 1. */
export class StaleSampleError extends Error {
  override readonly name = 'StaleSampleError';
}

/** Sampler and trainer disagree about the probability of the same tokens under the same weights. */
export class LogprobMismatchError extends Error {
  override readonly name = 'LogprobMismatchError';
}

export interface GRPOBatch {
  readonly data: readonly Datum[];
  /** The trajectory each datum came from. */
  readonly trajectories: readonly Trajectory[];
}

/**
 * One datum for each trajectory: the episode's advantage on every token the policy sampled, weight 0 on all others and, with
 * `maskTruncatedCompletions`, on episodes that were cut.
 *
 * @throws StaleSampleError unless all samples are from policy version `policyVersion`.
 */
export function grpoBatch<T extends Task>(
  groups: readonly ScoredGroup<T>[],
  config: GRPOConfig,
  policyVersion: number,
): GRPOBatch {
  const parts = groups.flatMap(({ episodes, advantages }) =>
    episodes.flatMap((episode, index) => {
      if (episode.policyVersion !== policyVersion) {
        throw new StaleSampleError(
          `Task ${episode.taskId} was sampled by policy version ${episode.policyVersion}, the engine is at ${policyVersion}. Sample again before training.`,
        );
      }
      const masked = config.maskTruncatedCompletions && isTruncated(episode);
      return episode.trajectories.map((trajectory) => ({
        trajectory,
        advantage: advantages[index] as number,
        masked,
      }));
    }),
  );
  const masks = parts.map(({ trajectory: { actionMask }, masked }) =>
    masked ? new Uint8Array(actionMask.length) : actionMask,
  );
  const weights = tokenWeights(masks, config.lossType, config.maxCompletionLength);
  const data = parts.map(({ trajectory: { tokens }, advantage }, index) => ({
    tokens,
    weights: weights[index] as Float32Array,
    advantages: new Float32Array(tokens.length).fill(advantage),
  }));
  return { data, trajectories: parts.map(({ trajectory }) => trajectory) };
}

/** Any token at all is trained. */
export function hasTrainedTokens({ data }: GRPOBatch): boolean {
  return data.some(({ weights }) => weights.some((weight) => weight !== 0));
}

/** Mean and largest |trainer − sampler| log-probability over the trained tokens. */
export function logprobDifference(
  { data, trajectories }: GRPOBatch,
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
