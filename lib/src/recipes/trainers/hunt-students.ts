/** Three lessons for a tabular student of the treasure hunt: the expert's moves, the expert's opinion, and wins. */
import { treasureProcess, type TreasureState } from '../../envs/treasure/index.js';
import type { DecisionProcess } from '../../envs/index.js';
import {
  addScore,
  descendReverseKL,
  explore,
  movesToSuccess,
  playEpisode,
  rowOf,
  sampled,
  softmax,
  softmaxPolicy,
  type ActionDistribution,
  type ActionValues,
  type QTable,
} from '../../tabular/index.js';
import { randomStream, type RandomStream } from '../../tensor/random.js';

/** Moves of a game. */
export const MOVES = 40;
export const hunt: DecisionProcess<TreasureState> = treasureProcess({ maxMoves: MOVES });

/** The expert prefers a move that is nearer to the goal by one by this factor, as a logarithm. */
const SHARPNESS = 4;
/** Stands for "no longer possible": far, and finite. */
const LOST = 20;
const SFT_RATE = 1;
const DISTILLATION_RATE = 2;

/** The student: logits by what it sees. */
export type Student = QTable<string>;

export function policyOf(student: Student): ActionDistribution<TreasureState> {
  return softmaxPolicy(hunt, student);
}

export interface Expert {
  /** Log-probabilities of a state's actions. */
  readonly logProbabilities: (state: TreasureState) => readonly number[];
  readonly policy: ActionDistribution<TreasureState>;
}

/** Prefers moves that lead nearer to the goal. */
export function makeExpert(): Expert {
  const movesLeft = movesToSuccess(hunt);
  const opinions = new Map(
    [...explore(hunt)].map(([key, { transitions }]) => {
      const distances = [...transitions.values()].map(({ next }) => movesLeft.get(hunt.key(next)) ?? LOST);
      return [key, softmax(distances.map((distance) => -SHARPNESS * distance))];
    }),
  );
  const policy = (state: TreasureState): readonly number[] =>
    opinions.get(hunt.key(state)) as readonly number[];
  return { policy, logProbabilities: (state) => policy(state).map(Math.log) };
}

export interface Move {
  readonly state: TreasureState;
  readonly action: string;
}

export interface Game {
  readonly moves: readonly Move[];
  readonly success: boolean;
}

export function play(policy: ActionDistribution<TreasureState>, random: RandomStream): Game {
  const moves: Move[] = [];
  const choose = sampled(hunt, policy);
  const { success } = playEpisode(
    hunt,
    (state, stream) => {
      const action = choose(state, stream);
      moves.push({ state, action });
      return action;
    },
    random,
  );
  return { moves, success };
}

/** SFT: up the log-likelihood of the expert's moves, one by one in a new order each epoch. */
export function imitate(expert: Expert, games: number, epochs: number, seed: number): Student {
  const student: Student = new Map();
  const moves = Array.from({ length: games }, (_, game) =>
    play(expert.policy, randomStream(seed, 'tabular-distillation/expert', game)),
  ).flatMap((game) => game.moves);
  for (let epoch = 0; epoch < epochs; epoch += 1)
    for (const { state, action } of randomStream(seed, 'tabular-distillation/order', epoch).shuffle(moves)) {
      const { actions, values } = rowOf(student, hunt, state);
      addScore(values, softmax(values), actions.indexOf(action), SFT_RATE);
    }
  return student;
}

/** On-policy distillation: where the student has been, it moves towards what the expert thinks there. */
export function followExpert(student: Student, moves: readonly Move[], expert: Expert): void {
  for (const { state } of moves)
    descendReverseKL(rowOf(student, hunt, state).values, expert.logProbabilities(state), DISTILLATION_RATE);
}

/** One step up `mean over games of A · Σ log π(move)`, at the policy that has played them. */
export function followAdvantages(
  student: Student,
  games: readonly Game[],
  advantages: readonly number[],
  rate: number,
): void {
  const policy = policyOf(student);
  const gradient: Student = new Map();
  games.forEach(({ moves }, game) => {
    for (const { state, action } of moves) {
      const { actions, values } = rowOf(gradient, hunt, state);
      addScore(values, policy(state), actions.indexOf(action), (advantages[game] as number) / games.length);
    }
  });
  for (const [seen, { values }] of gradient) {
    // the policy has made a row of everything it met
    const { values: logits } = student.get(seen) as ActionValues<string>;
    values.forEach((slope, action) => {
      logits[action] = (logits[action] as number) + rate * slope;
    });
  }
}
