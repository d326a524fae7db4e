/** TRL's metrics of a PPO step, from plain numbers. */
import type { ScalarDatum, ScalarForwardBackwardResult } from '../engine/scalar-types.js';
import type { ForwardBackwardResult, OptimResult } from '../engine/types.js';
import { klOfToken, mean, standardDeviation } from '../losses/index.js';
import { clippedShares } from './clipped-shares.js';
import { meanOfKnown, streamMean, tokenMean, type Values } from './metrics.js';
import type { PPOEpisode, PPORow } from './ppo-batch.js';
import type { PPOConfig } from './ppo-config.js';
import type { SampledBatch } from './sampled-batch.js';

/** What the samples earned, and what the critic knew of it, before the first update. */
export function objectiveMetrics(
  episodes: readonly PPOEpisode[],
  { klCoef, klEstimator }: PPOConfig,
  endTokens: readonly number[],
): Values {
  const rows = episodes.flatMap((episode) => episode.rows);
  const perEpisode = (value: TokenValue): number => sum(atSampled(rows, value)) / episodes.length;
  const kl = perEpisode(({ trajectory, refLogprobs }, t) =>
    klOfToken(trajectory.logprobs[t] as number, refLogprobs[t] as number, klEstimator),
  );
  const scores = mean(episodes.map(({ score }) => score));
  return {
    ...(klCoef > 0 && { 'objective/kl': kl, 'objective/non_score_reward': -klCoef * kl }),
    'objective/entropy': perEpisode(({ trajectory }, t) => -(trajectory.logprobs[t] as number)),
    'objective/scores': scores,
    'objective/rlhf_reward': scores - klCoef * kl,
    'val/num_eos_tokens': atSampled(rows, ({ trajectory }, t) => trajectory.tokens[t] as number).filter(
      (token) => endTokens.includes(token),
    ).length,
    'critic/vf_explained_var': explainedVariance(rows),
  };
}

/** `1 − Var(G − V) / Var(G)` over the sampled tokens; not measured where all returns are equal. */
function explainedVariance(rows: readonly PPORow[]): number | undefined {
  const spread = standardDeviation(atSampled(rows, ({ returns }, t) => returns[t] as number));
  const surprises = atSampled(
    rows,
    ({ returns, values }, t) => (returns[t] as number) - (values[t] as number),
  );
  return spread === 0 ? undefined : 1 - (standardDeviation(surprises) / spread) ** 2;
}

type TokenValue = (row: PPORow, t: number) => number;

/** A value of each token that the policy sampled. */
function atSampled(rows: readonly PPORow[], value: TokenValue): number[] {
  return rows.flatMap((row) =>
    Array.from(row.trajectory.actionMask).flatMap((on, t) => (on === 1 ? [value(row, t)] : [])),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** One update of policy and critic. */
export interface PPOUpdate {
  readonly policy: SampledBatch;
  readonly critic: readonly ScalarDatum[];
  readonly forward: ForwardBackwardResult;
  readonly valueForward: ScalarForwardBackwardResult;
  /** Of the policy; `stepped` when the critic stepped too. */
  readonly optim: OptimResult;
  readonly criticOptim: OptimResult;
}

/** Means over the updates of a step. */
export function updateMetrics(updates: readonly PPOUpdate[], config: PPOConfig): Values {
  const each = updates.map((update) => ({
    ...policyMetrics(update, config),
    ...criticMetrics(update, config),
  }));
  const names = Object.keys(each[0] ?? {}) as (keyof (typeof each)[number])[];
  const ratios = each.map((metrics) => metrics['val/ratio']);
  const loss = each.map((metrics) => metrics['loss/policy_avg'] + config.vfCoef * metrics['loss/value_avg']);
  return {
    ...Object.fromEntries(names.map((name) => [name, meanOfKnown(each.map((metrics) => metrics[name]))])),
    'policy/num_updates': updates.length,
    loss: mean(loss),
    'val/ratio_var': updates.length > 1 ? standardDeviation(ratios) ** 2 : undefined,
  };
}

/** Half the mean squared log-ratio to the policy that sampled (k2), before the update took its step. */
export function approxKL(update: PPOUpdate): number {
  const logRatios = logRatiosOf(update);
  const weights = update.policy.data.map((datum) => datum.weights);
  return tokenMean(weights, (row, t) => 0.5 * (logRatios[row]?.[t] as number) ** 2) ?? 0;
}

function logRatiosOf({ policy: { data }, forward }: PPOUpdate): Float32Array[] {
  return data.map(({ oldLogprobs }, row) =>
    (forward.logprobs[row] as Float32Array).map((logprob, t) => logprob - (oldLogprobs?.[t] ?? 0)),
  );
}

function policyMetrics(
  update: PPOUpdate,
  { cliprange }: PPOConfig,
): Record<'loss/policy_avg' | 'policy/approxkl_avg' | 'policy/clipfrac_avg' | 'val/ratio', number> &
  Record<'policy/entropy_avg' | 'grad_norm', number | undefined> {
  const { policy, forward, optim } = update;
  const { data } = policy;
  const weights = data.map((datum) => datum.weights);
  const ratios = logRatiosOf(update).map((stream) => stream.map(Math.exp));
  const bounds = { least: 1 - cliprange, most: 1 + cliprange };
  const tokens = (value: (row: number, t: number) => number): number => tokenMean(weights, value) ?? 0;
  return {
    'loss/policy_avg': forward.loss,
    'policy/approxkl_avg': approxKL(update),
    'policy/clipfrac_avg': clippedShares(data, ratios, bounds).region,
    'policy/entropy_avg': streamMean(weights, forward.entropies),
    'val/ratio': tokens((row, t) => ratios[row]?.[t] as number),
    grad_norm: optim.gradNorm,
  };
}

function criticMetrics(
  { critic, valueForward, criticOptim }: PPOUpdate,
  { vfCoef, cliprangeValue }: PPOConfig,
): Record<'loss/value_avg' | 'val/clipfrac_avg', number> & Record<'critic/grad_norm', number | undefined> {
  const isClipped = (row: number, t: number): boolean => {
    const [value, old, target] = [valueForward.values[row], critic[row]?.oldValues, critic[row]?.returns].map(
      (stream) => stream?.[t] as number,
    ) as [number, number, number];
    const range = cliprangeValue ?? Infinity;
    const clipped = old + Math.max(-range, Math.min(range, value - old));
    return (clipped - target) ** 2 > (value - target) ** 2;
  };
  const weights = critic.map((datum) => datum.weights);
  return {
    'loss/value_avg': valueForward.loss / vfCoef,
    'val/clipfrac_avg': tokenMean(weights, (row, t) => (isClipped(row, t) ? 1 : 0)) ?? 0,
    'critic/grad_norm': criticOptim.gradNorm,
  };
}
