import * as tf from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import type { Sequences } from '../losses/index.js';
import { selectTokens, type TokenSelection } from '../model/index.js';
import type { Datum, Engine, ForwardBackwardResult } from './types.js';

/**
 * Any loss of the log-probabilities `[N]` of all masked tokens of a batch, flat, sequence by sequence; `sequences` says which token
 * belongs to which (see `sequenceSums`). Differentiable; what it allocates is freed.
 */
export type CustomLoss = (logprobs: Tensor, sequences: Sequences) => Scalar;

/** A sequence whose masked tokens the loss looks at. */
export interface CustomLossSequence {
  /** `[T]` */
  readonly tokens: Int32Array;
  /** `[T]`; not 0 = the loss sees this token. */
  readonly mask: ArrayLike<number>;
}

/** `loss` is the custom loss, `logprobs` are of all masked tokens, `entropies` and `hits` of those with a gradient. */
export interface CustomLossResult extends ForwardBackwardResult {
  /** What the engine was given: each token's weight is `−∂L/∂log π` of it. All 0 = the loss is flat here. */
  readonly data: readonly Datum[];
}

/**
 * Adds the gradient of a loss that compares whole sequences, such as DPO's, to the accumulated gradient of any engine.
 *
 * By the chain rule `∂L/∂θ = Σₜ (∂L/∂log πₜ) ∂log πₜ/∂θ`, which is the gradient of a cross-entropy whose weights are the constants
 * `−∂L/∂log πₜ`: exact, and a sum over tokens, so no two sequences have to lie in one micro-batch and a remote engine needs no code of
 * ours. The price is one more forward pass, for the log-probabilities that the constants are computed from: 1.5 times the work of a
 * plain `forwardBackward` (measured on `wasm`).
 *
 * A loss that is not finite gives a gradient that is not, and `optimStep` refuses to step.
 *
 * Source: `forward_backward_custom` of Tinker.
 */
export async function forwardBackwardCustom(
  engine: Pick<Engine, 'logprobs' | 'forwardBackward'>,
  batch: readonly CustomLossSequence[],
  loss: CustomLoss,
  temperature = 1,
): Promise<CustomLossResult> {
  const logprobs = await engine.logprobs(batch, temperature);
  const selection = selectTokens(batch);
  const { value, gradient } = await differentiate(loss, logprobs, selection);
  const weights = batch.map(({ tokens }) => new Float32Array(tokens.length));
  selection.rows.forEach((row, n) => {
    const slope = gradient[n] as number;
    // not NaN, which would pass for a token without a weight
    const weight = Number.isFinite(value) && Number.isFinite(slope) ? -slope : Infinity;
    (weights[row] as Float32Array)[selection.positions[n] as number] = weight;
  });
  const data = batch.map(({ tokens }, row): Datum => ({ tokens, weights: weights[row] as Float32Array }));
  const forward = await engine.forwardBackward(data, { name: 'cross_entropy' }, temperature);
  return { ...forward, loss: value, logprobs, data };
}

/** Value of the loss, and its gradient with respect to the log-probability of each selected token, `[N]`. */
async function differentiate(
  loss: CustomLoss,
  logprobs: readonly Float32Array[],
  { rows, positions, batch }: TokenSelection,
): Promise<{ readonly value: number; readonly gradient: Float32Array }> {
  const selected = Float32Array.from(rows, (row, n) => logprobs[row]?.[positions[n] as number] as number);
  const { value, grad } = tf.tidy(() => {
    const sequences = { ids: tf.tensor1d(rows, 'int32'), count: batch };
    return tf.valueAndGrad((tokens) => loss(tokens, sequences))(tf.tensor1d(selected));
  });
  const [[scalar], gradient] = await Promise.all([value.data<'float32'>(), grad.data<'float32'>()]);
  const result = { value: scalar as number, gradient: Float32Array.from(gradient) };
  tf.dispose([value, grad]);
  return result;
}
