/** Q-learning and SARSA: two ways to say what a move was worth. */
import type { DecisionProcess } from '../envs/decision-process.js';
import { eventLoopTurn } from '../event-loop.js';
import { randomStream, type RandomStream } from '../tensor/random.js';
import { integerRule, rangeRule, requireRules, resolveConfig } from '../trainers/resolve-config.js';
import { bestAction, bestValue, rowOf, type ActionValues, type QTable } from './q-table.js';

export interface TabularConfig {
  /** Default 10,000. */
  readonly numEpisodes: number;
  /** α, in (0, 1]: how far a value moves towards its target. Default 0.2. */
  readonly learningRate: number;
  /** Discount γ in [0, 1]. Default 0.99; what it makes optimal need not be what was meant. */
  readonly gamma: number;
  /** Share of random moves in the first episode. Default 1. */
  readonly epsilonStart: number;
  /** Factor on it after each episode. Default 0.9995. */
  readonly epsilonDecay: number;
  /** … down to this. Default 0.1. */
  readonly epsilonEnd: number;
  /** Of every action before it was tried. Default 0; above what can be earned it makes the agent try everything ("optimistic"). */
  readonly initialValue: number;
  /** Default 1. */
  readonly seed: number;
}

export const tabularDefaults: TabularConfig = {
  numEpisodes: 10_000,
  learningRate: 0.2,
  gamma: 0.99,
  epsilonStart: 1,
  epsilonDecay: 0.9995,
  epsilonEnd: 0.1,
  initialValue: 0,
  seed: 1,
};

export interface TabularOptions<State, Action extends string> {
  readonly process: DecisionProcess<State, Action>;
  readonly config?: Partial<TabularConfig>;
  /**
   * Φ, the potential of potential-based shaping: every move earns `γ Φ(s′) − Φ(s)` in addition, with Φ = 0 after the end. Whatever Φ is,
   * the best policy stays the best: what a detour gains it must give back. Reported returns are without it.
   *
   * Source: Ng, Harada and Russell 1999, "Policy invariance under reward transformations".
   */
  readonly potential?: (state: State) => number;
  /** Stops between two episodes. */
  readonly signal?: AbortSignal;
}

export interface TabularStep<Action extends string> {
  /** 1-based. */
  readonly episode: number;
  readonly totalEpisodes: number;
  /** `episodic_return` (undiscounted, unshaped), `episodic_length`, `success` (0 or 1), `epsilon`, `num_states` (rows of the table). */
  readonly metrics: Readonly<Record<string, number>>;
  readonly actions: readonly Action[];
  /** As it is now: the next episode changes it. */
  readonly table: QTable<Action>;
}

/** Whose value stands for what comes after a move: the best action's, or the one's that will be played. */
type Successor = 'best' | 'played';

/** Episodes between two turns of the event loop, so that a signal is heard. */
const EPISODES_PER_TURN = 500;

/**
 * Q-learning: `Q(s, a) ← Q(s, a) + α (r + γ max_a′ Q(s′, a′) − Q(s, a))`, playing ε-greedily. Off-policy: learns what playing best from
 * here on is worth, whatever is played while learning. One yield per episode.
 *
 * Source: Watkins 1989; Sutton and Barto, 2nd edition, §6.5.
 *
 * @throws ConfigError before the first episode
 */
export function qLearning<State, Action extends string>(
  options: TabularOptions<State, Action>,
): AsyncGenerator<TabularStep<Action>, void, void> {
  return temporalDifference(options, 'best');
}

/**
 * SARSA: `Q(s, a) ← Q(s, a) + α (r + γ Q(s′, a′) − Q(s, a))` with the move `a′` that will be played. On-policy: learns what playing
 * on as now is worth, random moves included. One yield per episode.
 *
 * Source: Rummery and Niranjan 1994; Sutton and Barto, 2nd edition, §6.4.
 *
 * @throws ConfigError before the first episode
 */
export function sarsa<State, Action extends string>(
  options: TabularOptions<State, Action>,
): AsyncGenerator<TabularStep<Action>, void, void> {
  return temporalDifference(options, 'played');
}

async function* temporalDifference<State, Action extends string>(
  { config: given, signal, ...learner }: TabularOptions<State, Action>,
  successor: Successor,
): AsyncGenerator<TabularStep<Action>, void, void> {
  const config = defineTabularConfig(given);
  const table: QTable<Action> = new Map();
  for (let episode = 0; episode < config.numEpisodes; episode += 1) {
    if (episode % EPISODES_PER_TURN === 0) await eventLoopTurn();
    if (signal?.aborted === true) return;
    const epsilon = Math.max(config.epsilonEnd, config.epsilonStart * config.epsilonDecay ** episode);
    const random = randomStream(config.seed, 'tabular', episode);
    const played = learnEpisode({ ...learner, config, successor, table, epsilon, random });
    yield {
      episode: episode + 1,
      totalEpisodes: config.numEpisodes,
      metrics: {
        episodic_return: played.total,
        episodic_length: played.actions.length,
        success: Number(played.success),
        epsilon,
        num_states: table.size,
      },
      actions: played.actions,
      table,
    };
  }
}

interface Learner<State, Action extends string> {
  readonly process: DecisionProcess<State, Action>;
  readonly potential?: (state: State) => number;
  readonly config: TabularConfig;
  readonly successor: Successor;
  readonly table: QTable<Action>;
  readonly epsilon: number;
  readonly random: RandomStream;
}

interface Played<Action extends string> {
  readonly actions: readonly Action[];
  readonly total: number;
  readonly success: boolean;
}

/** Plays one episode and learns from each move. Meeting the horizon ends it like a terminal state: its reward is part of the game. */
function learnEpisode<State, Action extends string>(learner: Learner<State, Action>): Played<Action> {
  const { process, potential = () => 0, config, successor, table, epsilon, random } = learner;
  const { learningRate, gamma, initialValue } = config;
  const choose = (row: ActionValues<Action>): number =>
    random.uniform() < epsilon ? random.int(row.actions.length) : bestAction(row, random);
  const actions: Action[] = [];
  let state = process.start;
  let row = rowOf(table, process, state, initialValue);
  let chosen = choose(row);
  let total = 0;
  for (;;) {
    const action = row.actions[chosen] as Action;
    const { next, reward: paid, done, success } = process.step(state, action, random);
    actions.push(action);
    const late = !done && actions.length >= process.horizon.moves;
    const reward = late ? paid + process.horizon.reward : paid;
    total += reward;
    const value = row.values[chosen] as number;
    const learn = (target: number): void => {
      row.values[chosen] = value + learningRate * (target - value);
    };
    if (done || late) {
      learn(reward - potential(state));
      return { actions, total, success };
    }
    const nextRow = rowOf(table, process, next, initialValue);
    const planned = successor === 'played' ? choose(nextRow) : undefined;
    const later = planned === undefined ? bestValue(nextRow) : (nextRow.values[planned] as number);
    learn(reward + gamma * potential(next) - potential(state) + gamma * later);
    [state, row, chosen] = [next, nextRow, planned ?? choose(nextRow)];
  }
}

/** @throws ConfigError for a key that does not exist or a value that cannot work */
export function defineTabularConfig(given: Partial<TabularConfig> = {}): Readonly<TabularConfig> {
  const config = resolveConfig('TabularConfig', tabularDefaults, given);
  requireRules('TabularConfig', [
    integerRule('numEpisodes', config.numEpisodes, 1),
    rangeRule('learningRate', config.learningRate, Number.MIN_VALUE, 1),
    rangeRule('gamma', config.gamma, 0, 1),
    rangeRule('epsilonStart', config.epsilonStart, 0, 1),
    rangeRule('epsilonDecay', config.epsilonDecay, 0, 1),
    rangeRule('epsilonEnd', config.epsilonEnd, 0, 1),
    [
      Number.isFinite(config.initialValue),
      `initialValue is ${config.initialValue}, expected a finite number.`,
    ],
    integerRule('seed', config.seed, 0),
  ]);
  return config;
}
