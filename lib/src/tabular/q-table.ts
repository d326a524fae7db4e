/** Values of actions, by what the agent sees. */
import type { DecisionProcess } from '../envs/decision-process.js';
import type { RandomStream } from '../tensor/random.js';

/** One value for each action, in the same order. */
export interface ActionValues<Action extends string> {
  readonly actions: readonly Action[];
  readonly values: number[];
}

/** By `process.observe`; a row is there from the first time the agent was in front of it. */
export type QTable<Action extends string> = Map<string, ActionValues<Action>>;

/** The row of a state, made when it is new. */
export function rowOf<State, Action extends string>(
  table: QTable<Action>,
  process: DecisionProcess<State, Action>,
  state: State,
  initialValue = 0,
): ActionValues<Action> {
  const seen = process.observe(state);
  const known = table.get(seen);
  if (known !== undefined) return known;
  const actions = process.actions(state);
  const row = { actions, values: actions.map(() => initialValue) };
  table.set(seen, row);
  return row;
}

export function bestValue({ values }: ActionValues<string>): number {
  return Math.max(...values);
}

/** Index of a best action; each of equally good ones is as likely as the others. */
export function bestAction(row: ActionValues<string>, random: RandomStream): number {
  const best = bestValue(row);
  const tied = row.values.flatMap((value, index) => (value === best ? [index] : []));
  return tied.length === 1 ? (tied[0] as number) : random.pick(tied);
}
