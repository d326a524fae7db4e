/** Which of our losses a server has, and what they are worth. */
import * as tf from '@tensorflow/tfjs-core';
import { lossOf, type LossSpec } from '../../losses/index.js';
import { required } from '../../losses/required.js';
import type { CustomLoss } from '../custom-loss.js';
import { isTrained, lossStreams, selectionOf } from '../micro-step.js';
import type { Datum } from '../types.js';
import { type BuiltInLoss, type WireDatum, wireDatum } from './wire.js';

/** What the server is asked for. */
export interface ServerLoss extends BuiltInLoss {
  readonly encode: (datum: Datum) => WireDatum;
}

/**
 * The loss of the server with the same gradient; `undefined` = there is none, and the gradient with respect to the log-probabilities has to be
 * computed here (`forwardBackwardCustom`).
 */
export function serverLoss(spec: LossSpec, [first]: readonly Datum[]): ServerLoss | undefined {
  if (spec.name === 'cross_entropy')
    return { loss_fn: 'cross_entropy', encode: ({ tokens, weights }) => wireDatum(tokens, { weights }) };
  if (spec.name !== 'policy_gradient' || spec.beta !== 0 || spec.delta !== null) return undefined;
  // where the ratio is 1 by definition, the gradient is REINFORCE's
  if (first?.oldLogprobs === undefined)
    return {
      loss_fn: 'cross_entropy',
      encode: (datum) => wireDatum(datum.tokens, { weights: weightedAdvantages(datum) }),
    };
  return { ...surrogateOf(spec.epsilon, spec.epsilonHigh), encode: encodeSampled };
}

/** Without bounds it is plain importance sampling. */
function surrogateOf(epsilon: number, epsilonHigh: number): BuiltInLoss {
  if (epsilon >= 1 && epsilonHigh === Infinity) return { loss_fn: 'importance_sampling' };
  return {
    loss_fn: 'ppo',
    loss_fn_config: { clip_low_threshold: 1 - epsilon, clip_high_threshold: 1 + epsilonHigh },
  };
}

/** The server's sums have no weights: they go into the advantages, which they may, being ≥ 0. */
function encodeSampled(datum: Datum): WireDatum {
  const { tokens, weights, oldLogprobs } = datum;
  const logprobs = weights.map((weight, t) => (weight === 0 ? 0 : (oldLogprobs?.[t] as number)));
  return wireDatum(tokens, { logprobs, advantages: weightedAdvantages(datum) });
}

function weightedAdvantages({ weights, advantages }: Datum): Float32Array {
  return weights.map((weight, t) => (weight === 0 ? 0 : weight * (advantages?.[t] as number)));
}

/** Throws unless a policy is trained as it is. */
export function requireTemperatureOne(temperature: number): void {
  if (temperature === 1) return;
  throw new Error(
    `temperature is ${temperature}, and a server computes log-probabilities at temperature 1 alone. Sample and train at 1, or train locally.`,
  );
}

/** Throws when a loss is no function of the log-probabilities and the streams that are there. */
export function requireComputable(spec: LossSpec, [first]: readonly Datum[]): void {
  if (spec.name === 'cross_entropy' || first === undefined) return;
  if (spec.name === 'generalized_jsd')
    throw new Error(
      'generalized_jsd needs the distribution of every token, and a server tells the log-probabilities of single tokens. Distil with `distill`, which needs no more, or train locally.',
    );
  required(first.advantages, 'advantages', spec.name);
  if (spec.beta > 0) required(first.refLogprobs, 'refLogprobs', `${spec.name} with beta > 0`);
}

/** The loss as a function of the log-probabilities alone. */
export function lossOfLogprobs(spec: LossSpec, data: readonly Datum[]): CustomLoss {
  return (logprobs, sequences) =>
    lossOf(spec, { ...lossStreams(data, selectionOf(data)), logprobs, sequences });
}

/** The value of the loss, whatever the server calls it. */
export async function lossValue(
  spec: LossSpec,
  data: readonly Datum[],
  logprobs: readonly Float32Array[],
): Promise<number> {
  if (!data.some(isTrained)) return 0;
  const { rows, positions, batch } = selectionOf(data);
  const selected = Float32Array.from(rows, (row, n) => logprobs[row]?.[positions[n] as number] as number);
  const loss = tf.tidy(() => {
    const sequences = { ids: tf.tensor1d(rows, 'int32'), count: batch };
    return lossOfLogprobs(spec, data)(tf.tensor1d(selected), sequences);
  });
  const [value] = await loss.data<'float32'>();
  loss.dispose();
  return value as number;
}
