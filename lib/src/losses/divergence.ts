/** How uncertain a distribution over the vocabulary is, and how far one is from another. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { countedTokens, keep, keepRows } from './masked.js';

/** Two distributions over the same vocabulary at each token. */
export interface DistillationStreams {
  /** `[N, V]`, differentiable; -Infinity excludes a token. */
  readonly studentLogits: Tensor;
  /** `[N, V]`, or log-probabilities; a teacher with another vocabulary cannot be compared. */
  readonly teacherLogits: Tensor;
  /** `[N]`; 0 = masked. */
  readonly weights: Tensor;
}

/**
 * `H(π) = −Σᵥ π(v) log π(v)` of each token's distribution in nats: `[N]`, 0 where the weight is 0. Differentiable: a loss
 * minus `entropyCoef` times its weighted sum keeps a policy exploring (PPO, arXiv 1707.06347, eq. 9).
 *
 * @param logits `[N, V]`; -Infinity excludes a token
 * @param weights `[N]`
 * @param temperature the one the tokens were sampled at
 */
export function tokenEntropies(logits: Tensor, weights: Tensor, temperature = 1): Tensor {
  const logp = logDistribution(logits, weights, temperature);
  const entropies = tf.neg(tf.sum(tf.mul(tf.exp(logp), keep(possible(logp), logp)), -1));
  return keep(countedTokens(weights), entropies);
}

/**
 * Generalised Jensen–Shannon divergence of each token in nats, `[N]`, 0 where the weight is 0:
 * `β KL(T ‖ M) + (1 − β) KL(S ‖ M)` with the mixture `M = (1 − β) S + β T`.
 *
 * | β | value | the student learns to |
 * |---|---|---|
 * | 0 | `KL(T ‖ S)`, forward: soft-label SFT | cover all the teacher does |
 * | 0.5 | Jensen–Shannon, symmetric, at most ln 2 | |
 * | 1 | `KL(S ‖ T)`, reverse, over the full vocabulary: on-policy distillation | do nothing the teacher would not |
 *
 * Near 0 and 1 the formula vanishes; both ends are its limits divided by β and 1 − β (as in TRL's `GKDTrainer`).
 * The loss is `weightedSum` of it. GKD uses β 0.5 and temperature 0.9, on-policy distillation 1 and 1.
 *
 * Source: Agarwal et al. 2024, arXiv 2306.13649, eq. 1.
 */
export function generalizedJSD(
  { studentLogits, teacherLogits, weights }: DistillationStreams,
  beta: number,
  temperature = 1,
): Tensor {
  if (!(beta >= 0 && beta <= 1)) throw new RangeError(`beta must lie in [0, 1], got ${beta}`);
  const student = logDistribution(studentLogits, weights, temperature);
  const teacher = logDistribution(teacherLogits, weights, temperature);
  return keep(countedTokens(weights), divergence(student, teacher, beta));
}

function divergence(student: Tensor, teacher: Tensor, beta: number): Tensor {
  if (beta === 0) return kullbackLeibler(teacher, student);
  if (beta === 1) return kullbackLeibler(student, teacher);
  const mixture = logMixture(student, teacher, beta);
  return tf.add(
    tf.mul(kullbackLeibler(teacher, mixture), beta),
    tf.mul(kullbackLeibler(student, mixture), 1 - beta),
  );
}

function logDistribution(logits: Tensor, weights: Tensor, temperature: number): Tensor {
  return tf.logSoftmax(tf.div(keepRows(countedTokens(weights), logits), temperature));
}

/** `Σᵥ p (log p − log q)` along the last axis; a token that `p` excludes adds 0, whatever `q` thinks of it. */
function kullbackLeibler(logp: Tensor, logq: Tensor): Tensor {
  const mask = possible(logp);
  return tf.sum(tf.mul(tf.exp(logp), tf.sub(keep(mask, logp), keep(mask, logq))), -1);
}

/** `log((1 − β) S + β T)`; 0 instead of −∞ where both exclude a token: no sum reads it, and its gradient stays finite. */
function logMixture(student: Tensor, teacher: Tensor, beta: number): Tensor {
  const mixture = tf.add(tf.mul(tf.exp(student), 1 - beta), tf.mul(tf.exp(teacher), beta));
  return tf.log(tf.where(tf.greater(mixture, 0), mixture, tf.onesLike(mixture)));
}

const possible = (logp: Tensor): Tensor => tf.greater(logp, -Infinity);
