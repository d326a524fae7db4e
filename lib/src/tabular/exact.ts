/** What a decision process comes to, computed rather than learned: every state is known, and what every action does. */
import type { DecisionProcess, Transition } from '../envs/decision-process.js';
import type { RandomStream } from '../tensor/random.js';

/** A state, and what each of its actions leads to. */
export interface ExploredState<State, Action extends string> {
  readonly state: State;
  /** None in a terminal state. */
  readonly transitions: ReadonlyMap<Action, Transition<State>>;
}

/** By `process.key`, nearest to the start first. */
export type Explored<State, Action extends string> = ReadonlyMap<string, ExploredState<State, Action>>;

/** A process that draws random numbers has no single outcome to explore. */
const noChance: RandomStream = {
  uniform: refuseChance,
  int: refuseChance,
  normal: refuseChance,
  pick: refuseChance,
  shuffle: refuseChance,
};

function refuseChance(): never {
  throw new Error(
    'The process drew a random number; exact methods need one whose actions have one outcome. Turn its chance off.',
  );
}

/** All states that can be reached from the start, breadth first. Throws when the process draws random numbers. */
export function explore<State, Action extends string>(
  process: DecisionProcess<State, Action>,
): Explored<State, Action> {
  const explored = new Map<string, ExploredState<State, Action>>();
  const known = new Set([process.key(process.start)]);
  const queue = [{ state: process.start, terminal: false }];
  for (const { state, terminal } of queue) {
    const transitions = new Map<Action, Transition<State>>();
    for (const action of terminal ? [] : process.actions(state)) {
      const transition = process.step(state, action, noChance);
      transitions.set(action, transition);
      const key = process.key(transition.next);
      if (known.has(key)) continue;
      known.add(key);
      queue.push({ state: transition.next, terminal: transition.done });
    }
    explored.set(process.key(state), { state, transitions });
  }
  return explored;
}

export interface ValueIterationOptions {
  /** Discount γ in [0, 1]. */
  readonly gamma: number;
  /** Stops when no value changes by more; default 1e-9. */
  readonly tolerance?: number;
  /** Sweeps at most; `k` sweeps from 0 are the best return in `k` moves. Default: until `tolerance`; needed when γ is 1 and rewards can be farmed. */
  readonly maxSweeps?: number;
}

/**
 * `V*(s)` of every state by `process.key`: `V(s) ← max_a r(s, a) + γ V(s′)` until it stands still, terminal states 0. Knows of no
 * horizon: it is the value of going on for ever.
 *
 * Source: Bellman 1957; Sutton and Barto, 2nd edition, §4.4.
 *
 * @throws RangeError when γ is outside [0, 1], or 1 without `maxSweeps`
 */
export function valueIteration<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  { gamma, tolerance = 1e-9, maxSweeps = Infinity }: ValueIterationOptions,
): Map<string, number> {
  if (!(gamma >= 0 && (gamma < 1 || (gamma === 1 && Number.isFinite(maxSweeps)))))
    throw new RangeError(`gamma is ${gamma}, expected a number from 0 to below 1, or 1 with maxSweeps.`);
  const explored = explore(process);
  const outcomes = outcomesOf(process, explored);
  let values = new Float64Array(explored.size);
  for (let sweep = 0, change = Infinity; sweep < maxSweeps && change > tolerance; sweep += 1) {
    const before = values;
    values = Float64Array.from(outcomes, (ofState) => bestOutcome(ofState, before, gamma));
    change = values.reduce((most, value, i) => Math.max(most, Math.abs(value - (before[i] as number))), 0);
  }
  return new Map([...explored.keys()].map((key, i) => [key, values[i] as number]));
}

/** An action: what it pays, and the index of the state it leads to. */
export interface Outcome {
  readonly reward: number;
  readonly next: number;
}

/** What the actions of each explored state come to, in order: `[states][actions]`. */
export function outcomesOf<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  explored: Explored<State, Action>,
): Outcome[][] {
  const index = new Map([...explored.keys()].map((key, i) => [key, i]));
  return [...explored.values()].map(({ transitions }) =>
    [...transitions.values()].map(({ reward, next }) => ({
      reward,
      next: index.get(process.key(next)) as number,
    })),
  );
}

function bestOutcome(outcomes: readonly Outcome[], values: Float64Array, gamma: number): number {
  if (outcomes.length === 0) return 0;
  let best = -Infinity;
  for (const { reward, next } of outcomes) best = Math.max(best, reward + gamma * (values[next] as number));
  return best;
}

/** `Q(s, a) = r + γ V(s′)` of each action of a state. Throws when the process draws random numbers. */
export function actionValues<State, Action extends string>(
  process: DecisionProcess<State, Action>,
  values: ReadonlyMap<string, number>,
  state: State,
  gamma: number,
): Map<Action, number> {
  return new Map(
    process.actions(state).map((action) => {
      const { reward, next } = process.step(state, action, noChance);
      return [action, reward + gamma * (values.get(process.key(next)) ?? 0)];
    }),
  );
}

/** How many moves each state is from success, by `process.key`; states from which it is out of reach are absent. */
export function movesToSuccess<State, Action extends string>(
  process: DecisionProcess<State, Action>,
): Map<string, number> {
  const explored = explore(process);
  const reached = new Map<string, number>();
  for (const { transitions } of explored.values())
    for (const { success, next } of transitions.values()) if (success) reached.set(process.key(next), 0);
  // one ring of states after the other, from success outwards
  for (let ring: string[] = [...reached.keys()], moves = 1; ring.length > 0; moves += 1) {
    const inner = new Set(ring);
    ring = [...explored].flatMap(([key, { transitions }]) =>
      !reached.has(key) && [...transitions.values()].some(({ next }) => inner.has(process.key(next)))
        ? [key]
        : [],
    );
    for (const key of ring) reached.set(key, moves);
  }
  return reached;
}
