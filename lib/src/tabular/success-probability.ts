/** How often a policy reaches the goal, computed over all that can happen instead of sampled. */
import type { DecisionProcess } from '../envs/decision-process.js';
import { explore, outcomesOf } from './exact.js';
import { distributionsOf, flow } from './mass.js';
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
  const outcomes = outcomesOf(process, explored);
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
      const distributions = distributionsOf(states, policy);
      for (let move = 0; move < moves; move += 1) mass = flow(mass, distributions, outcomes);
    }
    return [...goals].reduce((sum, goal) => sum + (mass[goal] as number), 0);
  };
}
