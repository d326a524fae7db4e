/** TRL's metrics of a GRPO step, from plain numbers. */
import type { ForwardBackwardResult } from '../engine/types.js';
import type { Task } from '../envs/types.js';
import { k3OfToken, mean } from '../losses/index.js';
import { clippedShares, type RatioBounds } from './clipped-shares.js';
import { episodeMetrics } from './episode-metrics.js';
import type { GRPOConfig } from './grpo-config.js';
import { grpoLoss } from './grpo-loss.js';
import type { ScoredGroup, StepSamples } from './grpo-groups.js';
import { tokenMean, type Values } from './metrics.js';
import { agreementMetrics, type SampledBatch } from './sampled-batch.js';
import { episodesOf } from './sampling.js';

/** Rewards, lengths and stop reasons of everything that was sampled. */
export function samplingMetrics<T extends Task>(
  { groups, rounds }: StepSamples<T>,
  config: GRPOConfig,
): Values {
  return {
    ...episodeMetrics(episodesOf(groups)),
    ...(config.numGenerations > 1 && groupMetrics(groups)),
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

/** What the first update saw, before it changed anything: entropy, distance from the reference, agreement with the sampler. */
export function policyMetrics(
  batch: SampledBatch,
  forward: ForwardBackwardResult,
  config: GRPOConfig,
): Values {
  const weights = batch.data.map((datum) => datum.weights);
  const k3 = (row: number, t: number): ReturnType<typeof k3OfToken> =>
    k3OfToken(forward.logprobs[row]?.[t] ?? 0, batch.data[row]?.refLogprobs?.[t] ?? 0);
  return {
    ...agreementMetrics(batch, forward),
    kl: config.beta === 0 ? undefined : tokenMean(weights, (row, t) => k3(row, t).value),
    kl_clamped_frac:
      config.beta === 0 ? undefined : tokenMean(weights, (row, t) => (k3(row, t).clamped ? 1 : 0)),
  };
}

/**
 * What the updates of a step clipped; the first one's log-probabilities are the old ones of all. One number for all updates, where TRL
 * logs each; `low_min` and `high_max` are over updates, TRL's over sequences; GSPO's
 * shares are of tokens, TRL's of sequences.
 */
export function clipMetrics(
  batch: SampledBatch,
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

/** What one update clipped. CISPO clips only above, and the weight of a gradient, not the gradient. */
export function clipRatios(
  batch: SampledBatch,
  logprobs: readonly Float32Array[],
  oldLogprobs: readonly Float32Array[],
  config: GRPOConfig,
): ReturnType<typeof clippedShares> {
  const ratios = batch.data.map(({ weights }, row) =>
    ratiosOf(weights, logprobs[row], oldLogprobs[row], config),
  );
  return clippedShares(batch.data, ratios, ratioBounds(config));
}

function ratioBounds(config: GRPOConfig): RatioBounds {
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
