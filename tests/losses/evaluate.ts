import * as tf from '@tensorflow/tfjs-core';

/** A stream `[N]`, or a table `[N, V]`. */
export type Values = number[] | number[][];

export interface Evaluation {
  readonly value: number;
  /** With respect to each differentiable stream, flat. */
  readonly grads: readonly number[][];
}

/** Value of a loss (a tensor counts as its sum) and its gradients. `loss` gets the differentiable streams first, then the others. */
export function evaluate(
  loss: (...streams: tf.Tensor[]) => tf.Tensor,
  differentiable: readonly Values[],
  others: readonly Values[] = [],
): Evaluation {
  return tf.tidy(() => {
    const constants = others.map((values) => tf.tensor(values));
    const { value, grads } = tf.valueAndGrads((...streams: tf.Tensor[]) =>
      tf.sum(loss(...streams, ...constants)),
    )(differentiable.map((values) => tf.tensor(values)));
    return {
      value: value.dataSync()[0] as number,
      grads: grads.map((grad) => Array.from(grad.dataSync())),
    };
  });
}
