/** A path through a forest, an expert who never leaves it, and three ways to learn the way from the expert. */
import type { DecisionProcess } from '../../envs/index.js';
import {
  addScore,
  descendReverseKL,
  playEpisode,
  rowOf,
  sampled,
  softmax,
  softmaxPolicy,
  type ActionDistribution,
  type QTable,
} from '../../tabular/index.js';
import { randomStream } from '../../tensor/random.js';

const MOVES = ['left', 'ahead', 'right'] as const;
export type PathMove = (typeof MOVES)[number];

export interface PathState {
  /** Along the path, which goes round in a circle. */
  readonly place: number;
  /** How far from the path; 0 = on it. */
  readonly away: number;
}

const PLACES = 12;
/** The edge of the forest. */
const FURTHEST = 12;
const SFT_RATE = 1;
const DISTILLATION_RATE = 2;
/** Log-odds of the expert's move, where an opinion is asked for: surely, and finitely so. */
const SHARPNESS = 8;

export interface Forest {
  /** Of three moves one keeps to the path, or leads back towards it; the others lead a step away. A move that ends off the path costs 1. */
  readonly process: DecisionProcess<PathState, PathMove>;
  /** The move that the expert makes. */
  readonly expert: (state: PathState) => PathMove;
}

/**
 * A forest of its own for each seed: which move is right differs from place to place and with the distance from the path.
 * @param moves of a walk
 */
export function forest(seed: number, moves: number): Forest {
  const random = randomStream(seed, 'covariate-shift/forest');
  const right = Array.from({ length: PLACES * (FURTHEST + 1) }, () => random.pick(MOVES));
  const expert = ({ place, away }: PathState): PathMove => right[away * PLACES + place] as PathMove;
  const step = (state: PathState, move: PathMove): PathState => ({
    place: (state.place + 1) % PLACES,
    away: move === expert(state) ? Math.max(0, state.away - 1) : Math.min(FURTHEST, state.away + 1),
  });
  const key = ({ place, away }: PathState): string => `${place}, ${away} away`;
  const process: Forest['process'] = {
    start: { place: 0, away: 0 },
    horizon: { moves, reward: 0 },
    actions: () => MOVES,
    step: (state, move) => {
      const next = step(state, move);
      return { next, reward: next.away === 0 ? 0 : -1, done: false, success: false };
    },
    key,
    observe: key,
  };
  return { process, expert };
}

/** Logits by what is seen; what was never seen is played at random. */
export type Walker = QTable<PathMove>;

export function walkerPolicy({ process }: Forest, walker: Walker): ActionDistribution<PathState> {
  return softmaxPolicy(process, walker);
}

/** The expert as a distribution: certain of its move. */
export function expertPolicy({ expert }: Forest): ActionDistribution<PathState> {
  return (state) => MOVES.map((move) => Number(move === expert(state)));
}

/** How often a walker errs where the expert goes: mean over the places of the path. */
export function errorOnPath(woods: Forest, walker: Walker): number {
  const policy = walkerPolicy(woods, walker);
  const errors = Array.from({ length: PLACES }, (_, place) => {
    const state = { place, away: 0 };
    return 1 - (policy(state)[MOVES.indexOf(woods.expert(state))] as number);
  });
  return errors.reduce((sum, error) => sum + error, 0) / PLACES;
}

/** Whose games a walker learns from, and what the expert says of each state in them: its move, or all it thinks. */
export interface Lesson {
  readonly plays: 'expert' | 'walker';
  readonly hears: 'move' | 'opinion';
}

export const lessons: Readonly<Record<'SFT' | 'DAgger' | 'OPD', Lesson>> = {
  /** Behaviour cloning, which is SFT: the expert's games, and its moves. */
  SFT: { plays: 'expert', hears: 'move' },
  /** DAgger (Ross et al. 2011, arXiv 1011.0686): its own games, and what the expert would have done. */
  DAgger: { plays: 'walker', hears: 'move' },
  /** On-policy distillation: its own games, and the reverse KL from the expert. */
  OPD: { plays: 'walker', hears: 'opinion' },
};

/** A walker after so many walks from anywhere on the path; the expert is heard once a move. */
export function learnThePath(woods: Forest, { plays, hears }: Lesson, walks: number, seed: number): Walker {
  const { process, expert } = woods;
  const walker: Walker = new Map();
  const player = plays === 'expert' ? expertPolicy(woods) : walkerPolicy(woods, walker);
  const choose = sampled(process, player);
  for (let walk = 0; walk < walks; walk += 1) {
    const random = randomStream(seed, 'covariate-shift/walks', walk);
    const states: PathState[] = [];
    const record = (state: PathState): PathMove => {
      states.push(state);
      return choose(state, random);
    };
    playEpisode(process, record, random, { place: random.int(PLACES), away: 0 });
    for (const state of states) {
      const { values } = rowOf(walker, process, state);
      const move = MOVES.indexOf(expert(state));
      if (hears === 'move') addScore(values, softmax(values), move, SFT_RATE);
      else descendReverseKL(values, opinionOn(move), DISTILLATION_RATE);
    }
  }
  return walker;
}

/** Log-probabilities of all moves. */
function opinionOn(right: number): number[] {
  return softmax(MOVES.map((_, move) => (move === right ? SHARPNESS : 0))).map(Math.log);
}
