/** An environment small enough for tables: states are values, and every action of every state can be tried. */
import type { RandomStream } from '../tensor/random.js';

/** What one action leads to. */
export interface Transition<State> {
  readonly next: State;
  readonly reward: number;
  /** `next` is terminal: nothing can be earned after it. */
  readonly done: boolean;
  /** The goal was reached. */
  readonly success: boolean;
}

/**
 * A Markov decision process `(S, A, P, r)`. States are never changed: `step` returns another one, so that exact methods can try all
 * actions of a state.
 */
export interface DecisionProcess<State, Action extends string = string> {
  readonly start: State;
  /** Ends an episode that takes longer: with this reward in addition, and without being terminal. */
  readonly horizon: { readonly moves: number; readonly reward: number };
  /** Never empty, except in terminal states. */
  actions(state: State): readonly Action[];
  step(state: State, action: Action, random: RandomStream): Transition<State>;
  /** Equal for equal states only. */
  key(state: State): string;
  /** What the agent sees of a state. It may see less than there is; states that look the same offer the same actions. */
  observe(state: State): string;
}
