/** What a policy earns, computed over all that can happen instead of sampled. */
import type { DecisionProcess } from '../envs/decision-process.js';
import { explore, outcomesOf } from './exact.js';
import { distributionsOf, flow } from './mass.js';
import type { ActionDistribution } from './softmax-policy.js';

/**
 * Expected sum of rewards from the start, undiscounted, after 1, 2, … `moves` moves: `[moves]`. What the horizon pays is not in it.
 * Throws when the process draws random numbers.
 */
export function expectedReturns<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  policy: ActionDistribution<State>,
  moves: number,
): number[] {
  const explored = explore(process);
  const states = [...explored.values()];
  const outcomes = outcomesOf(process, explored);
  const distributions = distributionsOf(states, policy);
  const earned = outcomes.map((actions, i) =>
    actions.reduce((sum, { reward }, action) => sum + (distributions[i]?.[action] as number) * reward, 0),
  );
  let mass: Float64Array = Float64Array.from(states, (_, i) => Number(i === 0));
  let total = 0;
  return Array.from({ length: moves }, () => {
    total += mass.reduce((sum, here, i) => sum + here * (earned[i] as number), 0);
    mass = flow(mass, distributions, outcomes);
    return total;
  });
}
