/** From episodes to what policy and critic learn of each token: KL in the reward, then generalised advantages. */
import type { ScalarDatum, ValueScorer } from '../engine/scalar-types.js';
import { klShapedRewards, tokenGAE, tokenWeights, whiten } from '../losses/index.js';
import { type EpisodeRecord, isTruncated, type Trajectory } from '../rollout/index.js';
import type { PPOConfig } from './ppo-config.js';
import type { Reference } from './reference.js';
import { requireFresh, type SampledBatch } from './sampled-batch.js';

/** A sequence as critic and reference saw it before anything was learned from it. Streams are `[T]`, 0 where nothing was sampled. */
interface JudgedSequence {
  readonly trajectory: Trajectory;
  /** V(sₜ), what the critic expected before token t. */
  readonly values: Float32Array;
  /** V(s_T), what it expects after the last token. */
  readonly lastValue: number;
  /** log π_ref of each sampled token; those of the policy itself without a reference. */
  readonly refLogprobs: Float32Array;
}

/** One training sequence. */
export interface PPORow extends JudgedSequence {
  /** Of variance 1 and mean 0 over all tokens of the step. */
  readonly advantages: Float32Array;
  /** What the critic should have expected before each token. */
  readonly returns: Float32Array;
}

/** An episode that is learned from. */
export interface PPOEpisode {
  /** The reward, less the penalty for a missing end. */
  readonly score: number;
  /** Its training sequences, usually one. */
  readonly rows: readonly PPORow[];
}

/**
 * Episodes with the advantages of their tokens. Left out are those in which nothing could be sampled, or that cannot be judged.
 *
 * Each token the policy sampled earns `−klCoef · KLₜ`, the last one of a turn what the environment paid for the turn too, and the last
 * one of the episode the rest of the score; what the environment said earns nothing and is stepped over. Where an episode became several
 * sequences, its tokens still follow each other.
 *
 * @throws StaleSampleError unless all samples are from policy version `policyVersion`.
 */
export async function ppoEpisodes(
  records: readonly EpisodeRecord[],
  judges: { readonly critic: Pick<ValueScorer, 'values'>; readonly reference: Reference | undefined },
  config: PPOConfig,
  policyVersion: number,
): Promise<PPOEpisode[]> {
  records.forEach((record) => requireFresh(record, policyVersion));
  const played = records.filter(({ reward, trajectories }) => reward !== null && trajectories.length > 0);
  const sequences = await judge(
    played.flatMap(({ trajectories }) => trajectories),
    judges,
    config,
  );
  let next = 0;
  const episodes = played.map((record) => {
    const parts = sequences.slice(next, (next += record.trajectories.length));
    return { parts, score: scoreOf(record, config), bootstrapValue: valueAfter(record, parts, config) };
  });
  const masks = episodes.map(({ parts }) => endToEnd(parts, Uint8Array, actionMask));
  const earned = episodes.map(({ parts, score }) => tokenRewards(parts, score, config));
  const rewards = config.whitenRewards ? whiten(earned, masks, { shiftMean: false }) : earned;
  const estimates = episodes.map(({ parts, bootstrapValue }, n) =>
    tokenGAE(
      {
        rewards: rewards[n] as Float32Array,
        values: endToEnd(parts, Float32Array, (part) => part.values),
        bootstrapValue,
      },
      masks[n] as Uint8Array,
      config,
    ),
  );
  const advantages = whiten(
    estimates.map((estimate) => estimate.advantages),
    masks,
  );
  return episodes.map(({ parts, score }, n) => {
    const { returns } = estimates[n] as (typeof estimates)[number];
    return { score, rows: cutBack(parts, advantages[n] as Float32Array, returns) };
  });
}

/** What the critic expects before each token and after the last, and what the reference says of each. */
async function judge(
  trajectories: readonly Trajectory[],
  { critic, reference }: Parameters<typeof ppoEpisodes>[1],
  { temperature }: PPOConfig,
): Promise<JudgedSequence[]> {
  const masked = trajectories.map(({ tokens, actionMask }) => ({ tokens, mask: actionMask }));
  const refLogprobs = await reference?.logprobs(masked, temperature);
  const values = await critic.values(
    masked.map(({ tokens, mask }) => {
      const before = oneEarlier(Float32Array.from(mask));
      before[tokens.length - 1] = 1;
      return { tokens, mask: before };
    }),
  );
  return trajectories.map((trajectory, row) => ({
    trajectory,
    values: oneLater(values[row] as Float32Array),
    lastValue: values[row]?.at(-1) as number,
    refLogprobs: refLogprobs?.[row] ?? trajectory.logprobs,
  }));
}

function scoreOf({ reward, stopReason }: EpisodeRecord, { missingEosPenalty }: PPOConfig): number {
  return (reward as number) - (stopReason === 'max_tokens' ? (missingEosPenalty ?? 0) : 0);
}

/** What follows the episode; see `bootstrapTruncated`. */
function valueAfter(
  record: EpisodeRecord,
  parts: readonly JudgedSequence[],
  { bootstrapTruncated }: PPOConfig,
): number {
  const goesOn = isTruncated(record) && record.stopReason !== 'max_tokens';
  return bootstrapTruncated && goesOn ? (parts.at(-1)?.lastValue as number) : 0;
}

const actionMask = ({ trajectory }: JudgedSequence): Uint8Array => trajectory.actionMask;

function tokenRewards(parts: readonly JudgedSequence[], score: number, config: PPOConfig): Float32Array {
  const streams = {
    logprobs: endToEnd(parts, Float32Array, ({ trajectory }) => trajectory.logprobs),
    refLogprobs: endToEnd(parts, Float32Array, ({ refLogprobs }) => refLogprobs),
    mask: endToEnd(parts, Uint8Array, actionMask),
  };
  const paid = endToEnd(parts, Float32Array, turnRewards);
  const rest = paid.reduce((left, reward) => left - reward, score);
  return klShapedRewards(streams, rest, config).map((reward, t) => reward + (paid[t] as number));
}

/** What the environment paid for each turn, at its last token. */
function turnRewards({ trajectory: { tokens, turns } }: JudgedSequence): Float32Array {
  const rewards = new Float32Array(tokens.length);
  for (const { start, end, reward } of turns) if (end > start) rewards[end - 1] = reward;
  return rewards;
}

/** The streams of an episode's sequences as one. */
function endToEnd<Stream extends Float32Array | Uint8Array>(
  parts: readonly JudgedSequence[],
  Kind: { from(values: number[]): Stream },
  streamOf: (part: JudgedSequence) => Stream,
): Stream {
  return Kind.from(parts.flatMap((part) => [...streamOf(part)]));
}

function cutBack(
  parts: readonly JudgedSequence[],
  advantages: Float32Array,
  returns: Float32Array,
): PPORow[] {
  let end = 0;
  return parts.map((part) => {
    const start = end;
    end += part.trajectory.tokens.length;
    return { ...part, advantages: advantages.slice(start, end), returns: returns.slice(start, end) };
  });
}

/** What the policy, and what the critic learns from some rows: the mean over all their sampled tokens. */
export function ppoData(
  rows: readonly PPORow[],
  { vfCoef }: Pick<PPOConfig, 'vfCoef'>,
): { readonly policy: SampledBatch; readonly critic: readonly ScalarDatum[] } {
  const weights = tokenWeights(rows.map(actionMask), 'dapo', 0);
  const data = rows.map(({ trajectory: { tokens, logprobs }, advantages }, row) => ({
    tokens,
    weights: weights[row] as Float32Array,
    advantages,
    oldLogprobs: logprobs,
  }));
  const critic = rows.map(({ trajectory: { tokens }, values, returns }, row) => ({
    tokens,
    weights: oneEarlier((weights[row] as Float32Array).map((weight) => vfCoef * weight)),
    oldValues: oneEarlier(values),
    returns: oneEarlier(returns),
  }));
  return { policy: { data, trajectories: rows.map(({ trajectory }) => trajectory) }, critic };
}

/** A value that stands before token t stands after token t − 1, which is where a critic computes it. */
function oneEarlier(stream: Float32Array): Float32Array {
  const moved = new Float32Array(stream.length);
  moved.set(stream.subarray(1));
  return moved;
}

function oneLater(stream: Float32Array): Float32Array {
  const moved = new Float32Array(stream.length);
  moved.set(stream.subarray(0, stream.length - 1), 1);
  return moved;
}
