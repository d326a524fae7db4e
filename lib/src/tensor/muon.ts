import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { requireShape } from './checks.js';
import { fusedOr } from './dispatch.js';

/** How the size of a step depends on the shape of its matrix; PyTorch's names. */
export type AdjustLrFn = 'original' | 'match_rms_adamw';

export interface MuonOptions {
  readonly lr: number;
  /** Decay of the mean of gradients. */
  readonly momentum: number;
  readonly weightDecay: number;
  /**
   * `original`: √max(1, rows / columns) times `lr` (Jordan 2024). `match_rms_adamw`: 0.2 √max(rows, columns) times `lr`, which makes
   * the step about as large as AdamW's, so that one learning rate fits both (Liu et al. 2025, "Muon is scalable").
   */
  readonly adjustLrFn: AdjustLrFn;
  /** Multiplies the gradient first; how a clipped norm is applied (default 1). */
  readonly gradScale?: number;
}

/**
 * One Muon update (Jordan et al. 2024, in the order of `torch.optim.Muon`): the mean of gradients with Nesterov's look ahead,
 * all its singular values brought near 1, is the step. `param` and `momentum` change, `grad` does not; all are `[M, N]`.
 *
 * No kernel of its own: on the matrices of `nano` three quarters of the time are the products of `newtonSchulz`, and more on larger.
 */
export function muonUpdate(param: Variable, grad: Tensor, momentum: Variable, options: MuonOptions): void {
  requireShape('param', param, [null, null]);
  requireShape('grad', grad, param.shape);
  requireShape('momentum', momentum, param.shape);
  const { lr, momentum: keep, weightDecay, adjustLrFn, gradScale = 1 } = options;
  tf.tidy(() => {
    const fresh = tf.mul(grad, (1 - keep) * gradScale);
    const mean = tf.add(tf.mul(momentum, keep), fresh);
    const step = newtonSchulz(tf.add(fresh, tf.mul(mean, keep)));
    const rate = lr * lrFactor(adjustLrFn, param.shape as [number, number]);
    momentum.assign(mean);
    param.assign(tf.sub(tf.mul(param, 1 - lr * weightDecay), tf.mul(step, rate)));
  });
}

function lrFactor(adjustLrFn: AdjustLrFn, [rows, columns]: [number, number]): number {
  return adjustLrFn === 'original'
    ? Math.sqrt(Math.max(1, rows / columns))
    : 0.2 * Math.sqrt(Math.max(rows, columns));
}

const STEPS = 5;
/** Chosen for a steep start rather than for convergence: singular values end between 0.7 and 1.2. */
const [A, B, C] = [3.4445, -4.775, 2.0315] as const;
/** Keeps a zero matrix zero. */
const SMALLEST_NORM = 1e-7;

/**
 * The nearest matrix with singular values near 1, by five steps of a quintic Newton–Schulz iteration,
 * `X ← a X + (b X Xᵀ + c (X Xᵀ)²) X`.
 * @param x `[M, N]`
 */
export function newtonSchulz(x: Tensor): Tensor {
  requireShape('x', x, [null, null]);
  const tall = (x.shape[0] as number) > (x.shape[1] as number);
  return tf.tidy(() => {
    const squares = fusedOr('SumOfSquares', { x }, {}, () => tf.sum(tf.square(x)));
    let y: Tensor = tf.div(x, tf.maximum(tf.sqrt(squares), SMALLEST_NORM));
    for (let step = 0; step < STEPS; step += 1) {
      const last = y;
      y = tf.tidy(() => {
        // The smaller of the two Gram matrices.
        const gram = tf.matMul(last, last, tall, !tall);
        const polynomial = tf.add(tf.mul(gram, B), tf.mul(tf.matMul(gram, gram), C));
        const bent = tall ? tf.matMul(last, polynomial) : tf.matMul(polynomial, last);
        return tf.add(tf.mul(last, A), bent);
      });
      last.dispose();
    }
    return y;
  });
}
