import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { cispoLoss } from './cispo.js';
import { generalizedJSD } from './divergence.js';
import { klPenalty } from './kl.js';
import { weightedSum } from './masked.js';
import { negativeLogLikelihood } from './negative-log-likelihood.js';
import { type ClipOptions, policyGradientLoss, type PolicyGradientStreams } from './policy-gradient.js';
import { required } from './required.js';
import { sequenceRatioLoss } from './sequence-ratio.js';
import type { Sequences } from './sequences.js';

/** A loss as plain data, so that the same request can be sent to an engine on another machine. */
export type LossSpec = { readonly name: 'cross_entropy' } | PolicyLossSpec | DistillationLossSpec;

/** Distance from a teacher's whole distribution, `generalizedJSD`. */
export interface DistillationLossSpec {
  readonly name: 'generalized_jsd';
  /** Which divergence: 0 forward KL, 1 reverse KL, between them Jensen–Shannon. */
  readonly beta: number;
}

/** A surrogate for sampled tokens (see the function of its name), and how hard the reference pulls. */
export type PolicyLossSpec = SurrogateSpec & {
  /** Weight of the k3 penalty towards the reference; 0 = none, and no reference is read. */
  readonly beta: number;
};

type SurrogateSpec =
  | ({ readonly name: 'policy_gradient' | 'sequence_ratio' } & ClipOptions)
  | { readonly name: 'cispo'; readonly maxRatio: number };

/** What a loss may read of each trained token: `[N]` each. */
export interface LossStreams {
  readonly logprobs: Tensor;
  readonly weights: Tensor;
  readonly advantages?: Tensor;
  readonly oldLogprobs?: Tensor;
  readonly refLogprobs?: Tensor;
  /** Which tokens are one sequence; a sequence must be here whole. */
  readonly sequences?: Sequences;
  /** What each token was predicted from: `[N, V]`, at temperature 1, differentiable. */
  readonly logits?: Tensor;
  /** What a teacher says of all tokens in its place: `[N, V]`, at temperature 1. */
  readonly teacherLogprobs?: Tensor;
  /** The temperature of both distributions; 1. */
  readonly temperature?: number;
}

/**
 * The loss of `spec`: a sum over tokens, so that the losses of two parts of a batch, each of whole sequences, add up to the loss
 * of the whole. Throws when a stream it needs is missing.
 */
export function lossOf(spec: LossSpec, streams: LossStreams): Scalar {
  if (spec.name === 'cross_entropy') return negativeLogLikelihood(streams.logprobs, streams.weights);
  if (spec.name === 'generalized_jsd') {
    const studentLogits = required(streams.logits, 'logits', spec.name);
    const teacherLogits = required(streams.teacherLogprobs, 'teacherLogprobs', spec.name);
    const { weights, temperature } = streams;
    const jsd = generalizedJSD({ studentLogits, teacherLogits, weights }, spec.beta, temperature);
    return weightedSum(jsd, weights);
  }
  const advantages = required(streams.advantages, 'advantages', spec.name);
  const surrogate = surrogateOf(spec, { ...streams, advantages });
  if (spec.beta === 0) return surrogate;
  const refLogprobs = required(streams.refLogprobs, 'refLogprobs', `${spec.name} with beta > 0`);
  const penalty = klPenalty({ ...streams, refLogprobs });
  return tf.add(surrogate, tf.mul(weightedSum(penalty, streams.weights), spec.beta));
}

function surrogateOf(spec: SurrogateSpec, streams: LossStreams & PolicyGradientStreams): Scalar {
  switch (spec.name) {
    case 'policy_gradient':
      return policyGradientLoss(streams, spec);
    case 'sequence_ratio':
      return sequenceRatioLoss(streams, required(streams.sequences, 'sequences', spec.name), spec);
    case 'cispo':
      return cispoLoss(streams, spec.maxRatio);
  }
}
