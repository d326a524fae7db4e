/** The gradients that the trainer would compute, from samples whose gradients are known. */
import * as tf from '@tensorflow/tfjs-core';
import type { Datum } from '../../engine/index.js';
import type { Task } from '../../envs/types.js';
import { lossOf, type PolicyLossSpec } from '../../losses/index.js';
import type { EpisodeGroup, EpisodeRecord } from '../../rollout/index.js';
import { randomStream, type RandomStream } from '../../tensor/index.js';
import { grpoBatch } from '../../trainers/grpo-batch.js';
import { defineGRPOConfig, type GRPOConfig } from '../../trainers/grpo-config.js';
import { scoreGroups } from '../../trainers/grpo-groups.js';
import { grpoLoss } from '../../trainers/grpo-loss.js';
import { LIMITS, PROMPTS, type Reward } from './bandit.js';
import type { ReplyTree } from './reply-tree.js';

/** Mean and spread of many estimates. */
export interface Moments {
  readonly count: number;
  /** `[N]` */
  readonly mean: Float64Array;
  /** Trace of the covariance of one estimate. */
  readonly trace: number;
}

/** Estimates whose samples are drawn and whose gradient is computed at once. */
const CHUNK = 200;

export interface EstimateOptions {
  readonly seed: number;
  /** How often the gradient is estimated. */
  readonly estimates: number;
  /** Samples of each prompt in one estimate. */
  readonly numGenerations: number;
  /** The estimator, in the words of `grpo`. */
  readonly preset: Partial<GRPOConfig>;
  readonly reward: Reward;
}

/**
 * Estimates the policy gradient again and again, each time from fresh samples of every prompt; the same seed draws the same samples for
 * every estimator. Advantages, weights and loss are the trainer's own. The constant by which `dr_grpo` divides is undone: it is part
 * of the learning rate.
 */
export function estimateOften(
  tree: ReplyTree,
  { seed, estimates, numGenerations, preset, reward }: EstimateOptions,
): Moments {
  const { maxCompletionLength } = LIMITS;
  const config = defineGRPOConfig({
    ...preset,
    numGenerations,
    promptsPerStep: PROMPTS.length,
    maxCompletionLength,
  });
  const episodes = episodesOf(tree, reward);
  const unit = config.lossType === 'dr_grpo' ? maxCompletionLength : 1;
  const pathOf = new Map(episodes.flat().map(({ path, record }) => [record.trajectories[0], path]));
  const mean = new Float64Array(tree.size);
  let squares = 0;
  for (let first = 0; first < estimates; first += CHUNK) {
    const batches = Array.from({ length: Math.min(CHUNK, estimates - first) }, (_, offset) => {
      const random = randomStream(seed, 'variance-ladder/samples', first + offset);
      return grpoBatch(scoreGroups(sampleGroups(episodes, numGenerations, random), config), config, 0);
    });
    const slopes = tokenSlopes(
      batches.flatMap(({ data }) => data),
      grpoLoss(config),
    );
    const paths = batches.map(({ trajectories }) =>
      trajectories.map((trajectory) => pathOf.get(trajectory) as readonly number[]),
    );
    let row = 0;
    for (const replies of paths) {
      const estimate = new Float64Array(tree.size);
      for (const path of replies) {
        const rowSlopes = slopes[row++] as readonly number[];
        path.forEach((token, t) => (estimate[token]! += unit * rowSlopes[t]!));
      }
      squares += tree.product(estimate, estimate) / estimates;
      estimate.forEach((coefficient, token) => (mean[token]! += coefficient / estimates));
    }
  }
  const trace = ((squares - tree.product(mean, mean)) * estimates) / (estimates - 1);
  return { count: estimates, mean, trace };
}

/** By how much the loss falls with the log-probability of each trained token: `[rows][trained tokens]`. On-policy. */
function tokenSlopes(data: readonly Datum[], spec: PolicyLossSpec): number[][] {
  const trained = data.map(({ weights }) => [...weights.keys()].filter((t) => weights[t] !== 0));
  const stream = (values: (datum: Datum) => Float32Array | undefined): tf.Tensor1D =>
    tf.tensor1d(data.flatMap((datum, row) => (trained[row] ?? []).map((t) => values(datum)?.[t] as number)));
  const flat = tf.tidy(() => {
    const [weights, advantages] = [stream((datum) => datum.weights), stream((datum) => datum.advantages)];
    const loss = (logprobs: tf.Tensor): tf.Scalar => lossOf(spec, { logprobs, weights, advantages });
    return tf.neg(tf.grad(loss)(tf.zerosLike(weights))).dataSync<'float32'>();
  });
  let end = 0;
  return trained.map(({ length }) => [...flat.subarray(end, (end += length))]);
}

/** A reply as a trainer gets it, and where its tokens are in the tree. */
interface KnownEpisode {
  readonly record: EpisodeRecord;
  readonly path: readonly number[];
  readonly probability: number;
}

/** `[prompts][replies]` */
function episodesOf(tree: ReplyTree, reward: Reward): KnownEpisode[][] {
  return tree.replies.map((replies, promptIndex) => {
    const prompt = PROMPTS[promptIndex]?.tokens as Int32Array;
    return replies.map((reply) => {
      const tokens = Int32Array.of(...prompt, ...reply.tokens);
      const actionMask = new Uint8Array(tokens.length).fill(1, prompt.length);
      const turns = [{ start: prompt.length, end: tokens.length, reward: reward(reply, promptIndex) }];
      const record: EpisodeRecord = {
        ...{ taskId: String(promptIndex), split: 'train', groupId: String(promptIndex), promptIndex },
        ...{ sampleIndex: 0, seed: 0, policyVersion: 0, metrics: {}, stopReason: 'completed', messages: [] },
        trajectories: [{ tokens, actionMask, logprobs: new Float32Array(tokens.length), turns }],
        reward: reward(reply, promptIndex),
      };
      return { record, path: reply.path, probability: reply.probability };
    });
  });
}

function sampleGroups(
  episodes: readonly (readonly KnownEpisode[])[],
  numGenerations: number,
  random: RandomStream,
): EpisodeGroup<Task>[] {
  return episodes.map((replies, prompt) => ({
    task: { id: String(prompt), split: 'train' },
    groupId: String(prompt),
    episodes: Array.from({ length: numGenerations }, () => drawEpisode(replies, random)),
  }));
}

function drawEpisode(replies: readonly KnownEpisode[], random: RandomStream): EpisodeRecord {
  let left = random.uniform();
  const drawn = replies.find(({ probability }) => (left -= probability) < 0) ?? replies.at(-1);
  return (drawn as KnownEpisode).record;
}
