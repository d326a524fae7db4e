/** Playing without learning. */
import type { DecisionProcess } from '../envs/decision-process.js';
import type { RandomStream } from '../tensor/random.js';
import { bestAction, rowOf, type QTable } from './q-table.js';

export interface TabularEpisode<Action extends string> {
  readonly actions: readonly Action[];
  /** Undiscounted, with the horizon's reward where it was met. */
  readonly return: number;
  readonly success: boolean;
}

/** Chooses an action in a state. */
export type TabularPolicy<State, Action extends string> = (state: State, random: RandomStream) => Action;

/** One episode from `start` (default: the process's), until it is done or its horizon is met. */
export function playEpisode<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  policy: TabularPolicy<State, Action>,
  random: RandomStream,
  start: State = process.start,
): TabularEpisode<Action> {
  const actions: Action[] = [];
  let state = start;
  let total = 0;
  while (actions.length < process.horizon.moves) {
    const action = policy(state, random);
    const { next, reward, done, success } = process.step(state, action, random);
    actions.push(action);
    total += reward;
    if (done) return { actions, return: total, success };
    state = next;
  }
  return { actions, return: total + process.horizon.reward, success: false };
}

/** What the table thinks best; unseen states are played at random. The table is left as it is. */
export function greedyPolicy<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  table: QTable<Action>,
): TabularPolicy<State, Action> {
  return (state, random) => {
    const row = table.get(process.observe(state)) ?? rowOf(new Map(), process, state);
    return row.actions[bestAction(row, random)] as Action;
  };
}
