/** A stochastic policy as a table: one logit for each action of each observation. */
import type { DecisionProcess } from '../envs/decision-process.js';
import type { RandomStream } from '../tensor/random.js';
import { rowOf, type QTable } from './q-table.js';
import type { TabularPolicy } from './rollout.js';

/** Probabilities of a state's actions, in their order; they sum to 1. */
export type ActionDistribution<State> = (state: State) => readonly number[];

/** `softmax(logits)`. */
export function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** What the policy of these logits does in each state; observations without a row are played uniformly, and get one. */
export function softmaxPolicy<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  logits: QTable<Action>,
): ActionDistribution<State> {
  return (state) => softmax(rowOf(logits, process, state).values);
}

/** Plays by drawing from a distribution. */
export function sampled<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  distribution: ActionDistribution<State>,
): TabularPolicy<State, Action> {
  return (state, random) => process.actions(state)[draw(distribution(state), random)] as Action;
}

/** Index of one action. */
function draw(probabilities: readonly number[], random: RandomStream): number {
  let left = random.uniform();
  const index = probabilities.findIndex((probability) => (left -= probability) < 0);
  // rounding may leave a crumb after the last
  return index < 0 ? probabilities.findLastIndex((probability) => probability > 0) : index;
}

/** Adds `weight · ∂ log π(chosen) / ∂ logits`, which is `weight · (1[a = chosen] − π(a))`. */
export function addScore(
  gradient: number[],
  probabilities: readonly number[],
  chosen: number,
  weight: number,
): void {
  probabilities.forEach((probability, action) => {
    gradient[action] = (gradient[action] as number) + weight * (Number(action === chosen) - probability);
  });
}

/**
 * One step of `learningRate` down the reverse KL of the policy from a teacher, over all actions of a state:
 * `∂ KL(π‖q) / ∂ logits = π(a) · (log π(a) − log q(a) − KL(π‖q))`.
 *
 * @param teacher log-probabilities `log q`, finite
 */
export function descendReverseKL(logits: number[], teacher: readonly number[], learningRate: number): void {
  const policy = softmax(logits);
  const gaps = policy.map((probability, action) =>
    probability === 0 ? 0 : Math.log(probability) - (teacher[action] as number),
  );
  const divergence = gaps.reduce((sum, gap, action) => sum + (policy[action] as number) * gap, 0);
  gaps.forEach((gap, action) => {
    const gradient = (policy[action] as number) * (gap - divergence);
    logits[action] = (logits[action] as number) - learningRate * gradient;
  });
}
