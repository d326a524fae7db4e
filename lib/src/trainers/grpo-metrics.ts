/** TRL's metrics of a GRPO step, from plain numbers. */
import type { ForwardBackwardResult } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import { k3OfToken, mean, standardDeviation } from '../losses/index.js';
import { completionLength, type EpisodeRecord, ranOutOfTokens } from '../rollout/index.js';
import { type GRPOBatch, logprobDifference } from './grpo-batch.js';
import type { GRPOConfig } from './grpo-config.js';
import { grpoLoss } from './grpo-loss.js';
import type { ScoredGroup, StepSamples } from './grpo-groups.js';
import { tokenMean } from './metrics.js';

type Values = Record<string, number | undefined>;

/** Rewards, lengths and stop reasons of everything that was sampled. */
export function samplingMetrics<T extends Task>(
  { groups, rounds }: StepSamples<T>,
  config: GRPOConfig,
): Values {
  const episodes = groups.flatMap((group) => group.episodes);
  const scored = episodes.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return {
    reward: scored.length === 0 ? undefined : mean(scored),
    ...(config.numGenerations > 1 && groupMetrics(groups)),
    ...termMetrics(episodes),
    ...lengthMetrics(episodes),
    resample_rounds: config.filterZeroStdGroups === 'resample' ? rounds : undefined,
  };
}

/** How much the samples of one task differ. */
function groupMetrics<T extends Task>(groups: readonly ScoredGroup<T>[]): Values {
  const constant = groups.filter((group) => group.constant);
  const good = constant.filter((group) => mean(group.episodes.map(({ reward }) => reward ?? 0)) > 0.5);
  const share = (part: number): number => part / groups.length;
  return {
    reward_std: mean(groups.map(({ std }) => std)),
    frac_reward_zero_std: share(constant.length),
    'by_group/frac_mixed': share(groups.length - constant.length),
    'by_group/frac_all_good': share(good.length),
    'by_group/frac_all_bad': share(constant.length - good.length),
  };
}

/** `rewards/<name>/mean` and `/std` of every number the environment reports. */
function termMetrics(episodes: readonly EpisodeRecord[]): Values {
  const names = new Set(episodes.flatMap(({ metrics }) => Object.keys(metrics)));
  const values: Values = {};
  for (const name of names) {
    const measured = episodes.flatMap(({ metrics }) => metrics[name] ?? []);
    values[`rewards/${name}/mean`] = mean(measured);
    values[`rewards/${name}/std`] = standardDeviation(measured);
  }
  return values;
}

function lengthMetrics(episodes: readonly EpisodeRecord[]): Values {
  const lengths = episodes.map(completionLength);
  const terminated = episodes.flatMap((episode) =>
    ranOutOfTokens(episode) ? [] : [completionLength(episode)],
  );
  const extremes = (name: string, values: readonly number[]): Values =>
    values.length === 0
      ? {}
      : {
          [`completions/mean_${name}`]: mean(values),
          [`completions/min_${name}`]: Math.min(...values),
          [`completions/max_${name}`]: Math.max(...values),
        };
  const stops: Values = {};
  for (const { stopReason } of episodes)
    stops[`stop/${stopReason}`] = (stops[`stop/${stopReason}`] ?? 0) + 1 / episodes.length;
  return {
    ...extremes('length', lengths),
    ...extremes('terminated_length', terminated),
    'completions/clipped_ratio': clippedRatio(episodes),
    empty_rollouts: lengths.filter((length) => length === 0).length,
    num_splits: episodes.reduce((sum, { trajectories }) => sum + Math.max(0, trajectories.length - 1), 0),
    ...stops,
  };
}

/** Share of episodes that ran out of tokens. */
export function clippedRatio(episodes: readonly EpisodeRecord[]): number {
  return mean(episodes.map((episode) => (ranOutOfTokens(episode) ? 1 : 0)));
}

/** What the first update saw, before it changed anything: entropy, distance from the reference, agreement with the sampler. */
export function policyMetrics(batch: GRPOBatch, forward: ForwardBackwardResult, config: GRPOConfig): Values {
  const weights = batch.data.map((datum) => datum.weights);
  const difference = logprobDifference(batch, forward.logprobs);
  const k3 = (row: number, t: number): ReturnType<typeof k3OfToken> =>
    k3OfToken(forward.logprobs[row]?.[t] ?? 0, batch.data[row]?.refLogprobs?.[t] ?? 0);
  return {
    entropy: tokenMean(weights, (row, t) => forward.entropies[row]?.[t] ?? 0),
    kl: config.beta === 0 ? undefined : tokenMean(weights, (row, t) => k3(row, t).value),
    kl_clamped_frac:
      config.beta === 0 ? undefined : tokenMean(weights, (row, t) => (k3(row, t).clamped ? 1 : 0)),
    'sampling/sampling_logp_difference/mean': difference.mean,
    'sampling/sampling_logp_difference/max': difference.max,
  };
}

/** What the updates of a step clipped; the first one's log-probabilities are the old ones of all. */
export function clipMetrics(
  batch: GRPOBatch,
  forwards: readonly ForwardBackwardResult[],
  config: GRPOConfig,
): Values {
  const old = forwards[0]?.logprobs ?? [];
  const clips = forwards.map(({ logprobs }) => clipRatios(batch, logprobs, old, config));
  const [low, high] = [clips.map((clip) => clip.low), clips.map((clip) => clip.high)];
  if (config.lossType === 'cispo') return { cispo_clip_ratio: mean(high) };
  return {
    'clip_ratio/low_mean': mean(low),
    'clip_ratio/low_min': Math.min(...low),
    'clip_ratio/high_mean': mean(high),
    'clip_ratio/high_max': Math.max(...high),
    'clip_ratio/region_mean': mean(clips.map(({ region }) => region)),
  };
}

/**
 * Share of trained tokens whose gradient one update clipped: below (A < 0), above (A > 0), either. CISPO clips only above, and the
 * weight of a gradient, not the gradient.
 */
export function clipRatios(
  batch: GRPOBatch,
  logprobs: readonly Float32Array[],
  oldLogprobs: readonly Float32Array[],
  config: GRPOConfig,
): { readonly low: number; readonly high: number; readonly region: number } {
  const weights = batch.data.map((datum) => datum.weights);
  const { least, most } = ratioBounds(config);
  const ratios = weights.map((stream, row) => ratiosOf(stream, logprobs[row], oldLogprobs[row], config));
  const ratio = (row: number, t: number): number => ratios[row]?.[t] as number;
  const advantage = (row: number, t: number): number => batch.data[row]?.advantages?.[t] ?? 0;
  const isLow = (row: number, t: number): boolean => ratio(row, t) < least && advantage(row, t) < 0;
  const isHigh = (row: number, t: number): boolean => ratio(row, t) > most && advantage(row, t) > 0;
  const low = tokenMean(weights, (row, t) => (isLow(row, t) ? 1 : 0)) ?? 0;
  const high = tokenMean(weights, (row, t) => (isHigh(row, t) ? 1 : 0)) ?? 0;
  return { low, high, region: low + high };
}

function ratioBounds(config: GRPOConfig): { readonly least: number; readonly most: number } {
  const loss = grpoLoss(config);
  return loss.name === 'cispo'
    ? { least: 0, most: loss.maxRatio }
    : { least: 1 - loss.epsilon, most: 1 + loss.epsilonHigh };
}

/** The ratio that is clipped at each token of a datum, `[T]`: its own, or its sequence's geometric mean. */
function ratiosOf(
  weights: Float32Array,
  logprobs: Float32Array | undefined,
  oldLogprobs: Float32Array | undefined,
  { importanceSamplingLevel }: GRPOConfig,
): number[] {
  const logRatios = Array.from(weights, (_, t) => (logprobs?.[t] ?? 0) - (oldLogprobs?.[t] ?? 0));
  if (importanceSamplingLevel === 'token') return logRatios.map(Math.exp);
  const ofSequence = Math.exp(mean(logRatios.filter((_, t) => weights[t] !== 0)));
  return logRatios.map(() => ofSequence);
}
