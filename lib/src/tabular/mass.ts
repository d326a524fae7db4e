/** Probability mass over the states of a process: where a policy may be, all at once. */
import type { ExploredState, Outcome } from './exact.js';
import type { ActionDistribution } from './softmax-policy.js';

/** What the policy does in each state; in terminal states nothing. */
export function distributionsOf<State, Action extends string>(
  states: readonly ExploredState<State, Action>[],
  policy: ActionDistribution<State>,
): (readonly number[])[] {
  return states.map(({ state, transitions }) => (transitions.size === 0 ? [1] : policy(state)));
}

/** Where the probability mass is one move later; in terminal states it stays. */
export function flow(
  mass: Float64Array,
  distributions: readonly (readonly number[])[],
  outcomes: readonly (readonly Outcome[])[],
): Float64Array<ArrayBuffer> {
  const moved = new Float64Array(mass.length);
  mass.forEach((here, i) => {
    if (here === 0) return;
    const actions = outcomes[i] as readonly Outcome[];
    (distributions[i] as readonly number[]).forEach((probability, action) => {
      const next = actions[action]?.next ?? i;
      moved[next] = (moved[next] as number) + here * probability;
    });
  });
  return moved;
}
