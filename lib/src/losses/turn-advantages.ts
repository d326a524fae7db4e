/** Which turn of an episode deserves the credit? Advantages for turns, when the environment rewards turns. */
import { groupAdvantages } from './advantages.js';

/** Where a turn's tokens stand: from `start` up to, not including, `end`. */
export interface TokenSpan {
  readonly start: number;
  readonly end: number;
}

export interface TurnAdvantageOptions {
  /** γ: 0 credits a turn with its own reward only, 1 with all that follows too. */
  readonly gamma: number;
  /** Divide by the deviation of the turn's returns over the group, or not (see `groupAdvantages`). */
  readonly scaleRewards: 'group' | 'none';
  /** Returns of a turn that differ by less count as equal (see `groupAdvantages`). 1e-3. */
  readonly zeroStdThreshold?: number;
}

/** `Gₖ = rₖ + γ Gₖ₊₁`: what each turn led to, from the rewards of the turns. */
export function discountedReturns(rewards: readonly number[], gamma: number): number[] {
  const returns = [...rewards];
  for (let k = returns.length - 2; k >= 0; k -= 1) {
    returns[k] = (returns[k] as number) + gamma * (returns[k + 1] as number);
  }
  return returns;
}

/**
 * Turn-level GRPO: each turn's return against those of the same turn in the group's other episodes. Episodes that ended
 * before turn k are not compared at turn k; where fewer than two reached it, its advantages are 0. That an episode reached turn k was
 * decided before it, so with γ = 1 this baseline biases the gradient no more than GRPO's; a smaller γ is blind to what a turn prepares.
 *
 * @param groups rewards `[groups][episodes][turns]`; episodes may differ in turns
 * @returns advantages of the same shape
 *
 * Source: Zeng et al. 2025, arXiv 2505.11821 (with γ = 0).
 */
export function turnAdvantages(
  groups: readonly (readonly (readonly number[])[])[],
  { gamma, scaleRewards, zeroStdThreshold }: TurnAdvantageOptions,
): number[][][] {
  return groups.map((episodes) => {
    const returns = episodes.map((rewards) => discountedReturns(rewards, gamma));
    const turns = Math.max(0, ...returns.map(({ length }) => length));
    const sameTurn = Array.from({ length: turns }, (_, k) => returns.map((episode) => episode[k] ?? null));
    const { advantages } = groupAdvantages(sameTurn, scaleRewards, zeroStdThreshold);
    return returns.map((episode, e) => episode.map((_, k) => advantages[k]?.[e] as number));
  });
}

/** Each turn's value at each of its tokens, 0 elsewhere: `[length]`. */
export function spreadOverTurns(
  values: readonly number[],
  turns: readonly TokenSpan[],
  length: number,
): Float32Array {
  const stream = new Float32Array(length);
  turns.forEach(({ start, end }, k) => stream.fill(values[k] as number, start, end));
  return stream;
}
