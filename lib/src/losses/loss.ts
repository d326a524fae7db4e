import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { klPenalty } from './kl.js';
import { weightedSum } from './masked.js';
import { negativeLogLikelihood } from './negative-log-likelihood.js';
import { type ClipOptions, policyGradientLoss } from './policy-gradient.js';

/** A loss as plain data, so that the same request can be sent to an engine on another machine. */
export type LossSpec =
  | { readonly name: 'cross_entropy' }
  | ({
      readonly name: 'policy_gradient';
      /** Weight of the k3 penalty towards the reference; 0 = none, and no reference is read. */
      readonly beta: number;
    } & ClipOptions);

/** What a loss may read of each trained token: `[N]` each. */
export interface LossStreams {
  readonly logprobs: Tensor;
  readonly weights: Tensor;
  readonly advantages?: Tensor;
  readonly oldLogprobs?: Tensor;
  readonly refLogprobs?: Tensor;
}

/**
 * The loss of `spec`: a sum over tokens, so that the losses of two parts of a batch add up to the loss of the whole.
 * Throws when a stream it needs is missing.
 */
export function lossOf(spec: LossSpec, streams: LossStreams): Scalar {
  if (spec.name === 'cross_entropy') return negativeLogLikelihood(streams.logprobs, streams.weights);
  const surrogate = policyGradientLoss(
    { ...streams, advantages: required(streams.advantages, 'advantages', spec.name) },
    spec,
  );
  if (spec.beta === 0) return surrogate;
  const refLogprobs = required(streams.refLogprobs, 'refLogprobs', `${spec.name} with beta > 0`);
  const penalty = klPenalty({ ...streams, refLogprobs });
  return tf.add(surrogate, tf.mul(weightedSum(penalty, streams.weights), spec.beta));
}

function required(stream: Tensor | undefined, name: string, loss: string): Tensor {
  if (stream === undefined)
    throw new Error(`Loss ${loss} needs the per-token stream \`${name}\`: fill it in every datum.`);
  return stream;
}
