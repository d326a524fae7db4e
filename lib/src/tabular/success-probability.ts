/** How often a policy reaches the goal, computed over all that can happen instead of sampled. */
import type { DecisionProcess } from '../envs/decision-process.js';
import { explore } from './exact.js';
import type { ActionDistribution } from './softmax-policy.js';

/** One stage of play: a policy, and how many moves it has. */
export interface Stage<State> {
  readonly policy: ActionDistribution<State>;
  readonly moves: number;
}

/** Makes the function that plays stage after stage from the start and says how likely success is by then. Throws when the process draws random numbers. */
export function successProbability<State, Action extends string>(
  process: DecisionProcess<State, Action>,
): (stages: readonly Stage<State>[]) => number {
  const explored = explore(process);
  const states = [...explored.values()];
  const index = new Map([...explored.keys()].map((key, i) => [key, i]));
  const nexts = states.map(({ transitions }) =>
    [...transitions.values()].map(({ next }) => index.get(process.key(next)) as number),
  );
  const goals = new Set(
    states.flatMap(({ transitions }) =>
      [...transitions.values()].flatMap(({ success, next }) =>
        success ? [index.get(process.key(next)) as number] : [],
      ),
    ),
  );
  return (stages) => {
    let mass = Float64Array.from(states, (_, i) => Number(i === 0));
    for (const { policy, moves } of stages) {
      const distributions = states.map(({ state, transitions }) =>
        transitions.size === 0 ? [1] : policy(state),
      );
      for (let move = 0; move < moves; move += 1) mass = flow(mass, distributions, nexts);
    }
    return [...goals].reduce((sum, goal) => sum + (mass[goal] as number), 0);
  };
}

/** Where the probability mass is one move later; in terminal states it stays. */
function flow(
  mass: Float64Array,
  distributions: readonly (readonly number[])[],
  nexts: readonly (readonly number[])[],
): Float64Array<ArrayBuffer> {
  const moved = new Float64Array(mass.length);
  mass.forEach((here, i) => {
    if (here === 0) return;
    const to = nexts[i] as readonly number[];
    (distributions[i] as readonly number[]).forEach((probability, action) => {
      const next = to[action] ?? i;
      moved[next] = (moved[next] as number) + here * probability;
    });
  });
  return moved;
}
