/** What it costs to learn the treasure hunt from wins alone, from an expert's games, and from an expert who judges one's own. */
import { lineChart, standaloneSvg, type Series } from '../../display/index.js';
import { groupAdvantages } from '../../losses/index.js';
import { softmaxPolicy, successProbability } from '../../tabular/index.js';
import { randomStream } from '../../tensor/random.js';
import type { Claim, CurvePoint, Experiment, Measured, Measurements, Progress } from './experiment.js';
import {
  followAdvantages,
  followExpert,
  hunt,
  imitate,
  makeExpert,
  MOVES,
  play,
  policyOf,
  type Expert,
  type Student,
} from './hunt-students.js';
import { measured, shareColumn, wholePercent } from './measurements.js';

interface Settings {
  /** Expert games that SFT learns, one number an arm. */
  readonly expertGames: readonly number[];
  /** Games that SFT goes through in all: fewer are repeated more often. */
  readonly imitatedGames: number;
  /** Own episodes after which the distilled student is looked at, one number an arm. */
  readonly ownEpisodes: readonly number[];
  /** Rates of GRPO, one an arm: how many episodes it needs depends on it. */
  readonly rates: readonly number[];
  readonly grpoEpisodes: number;
}

/** Random moves before the student's first, to see it where no expert has been. */
const KICK = 8;
/** Samples of one group. */
const GROUP = 8;
/** Probability of success within `MOVES` that counts as learned. */
const LEARNED = 0.97;
/** Episodes between two looks at the student. */
const LOOK = { distillation: 4, grpo: 160 } as const;

export const tabularDistillation: Experiment<Settings> = {
  name: 'tabular-distillation',
  description:
    'a tabular student of the treasure hunt: GRPO from wins, SFT on expert games, on-policy distillation',
  hypothesis:
    'On-policy distillation succeeds in 97 % within 80 episodes, GRPO from scratch needs 2,000 or more. After eight random moves, SFT stays behind ' +
    'distillation by three points or more, however many expert games it has learned: it was never where it is now.',
  seeds: [1, 2, 3, 4, 5],
  settings: {
    full: {
      expertGames: [4, 32, 256],
      imitatedGames: 1024,
      ownEpisodes: [16, 40, 80, 160],
      rates: [1, 2, 4],
      grpoEpisodes: 8000,
    },
    quick: {
      expertGames: [4, 32],
      imitatedGames: 128,
      ownEpisodes: [16, 80],
      rates: [1],
      grpoEpisodes: 1600,
    },
  },
  columns: {
    start: shareColumn('from the start', percentOf),
    kicked: shareColumn(`after ${KICK} random moves`, percentOf),
    needed: { header: `episodes to ${wholePercent(LEARNED)}`, format: (value) => value.toFixed(0) },
    dead: shareColumn('dead groups'),
  },
  measure,
  claims,
  remarks: [
    'Success is computed over all that can happen in 40 moves, not sampled.',
    'The teacher knows the whole state and how far each move leads from the goal (softmax of −4 × moves to go); the student sees the room it is in, and its table begins uniform: 0.1 % success.',
    'What GRPO needs depends on its rate. At the highest it is fast from the start and the worst of all when it is kicked: it has settled on one way.',
    'A group of eight whose episodes all fail, or all succeed, teaches GRPO nothing; every move of every episode teaches distillation.',
  ],
  figures: ({ curves }) => {
    const lines = curves['success'] ?? {};
    const chart = lineChart({
      title: 'Learning the treasure hunt from one’s own episodes',
      description:
        'Probability of success against episodes played: on-policy distillation succeeds after tens of episodes, GRPO after one to five thousand.',
      xLabel: 'episodes',
      yLabel: 'probability of success',
      series: Object.entries(lines).map(([name, points]): Series => ({ name, points })),
      yRange: [0, 1],
      width: 660,
    });
    return { 'tabular-distillation.svg': standaloneSvg(chart) };
  },
};

function percentOf(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The probability that a student succeeds, from the start and after the kick. */
interface Exam {
  readonly start: (student: Student) => number;
  readonly kicked: (student: Student) => number;
}

function makeExam(): Exam {
  const probability = successProbability(hunt);
  const kick = { policy: softmaxPolicy(hunt, new Map()), moves: KICK };
  const own = (student: Student): typeof kick => ({ policy: policyOf(student), moves: MOVES });
  return {
    start: (student) => probability([own(student)]),
    kicked: (student) => probability([kick, own(student)]),
  };
}

function resultOf(exam: Exam, student: Student): { readonly start: number; readonly kicked: number } {
  return { start: exam.start(student), kicked: exam.kicked(student) };
}

async function* measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void> {
  const total = settings.expertGames.length + 1 + settings.rates.length;
  const expert = makeExpert();
  const exam = makeExam();
  const arms: Record<string, Readonly<Record<string, number>>> = {};
  const curves: Record<string, readonly CurvePoint[]> = {};
  let done = 0;
  for (const games of settings.expertGames) {
    yield { done, total, note: sftArm(games) };
    arms[sftArm(games)] = resultOf(exam, imitate(expert, games, settings.imitatedGames / games, seed));
    done += 1;
  }
  yield { done, total, note: 'OPD' };
  const distilled = distil(expert, exam, settings.ownEpisodes, seed);
  Object.assign(arms, distilled.arms);
  curves['OPD'] = distilled.curve;
  done += 1;
  for (const rate of settings.rates) {
    yield { done, total, note: grpoArm(rate) };
    const { numbers, curve } = reinforceWins(exam, rate, settings.grpoEpisodes, seed);
    arms[grpoArm(rate)] = numbers;
    curves[grpoArm(rate)] = curve;
    done += 1;
  }
  return { arms, curves: { success: curves } };
}

function sftArm(games: number): string {
  return `SFT on ${games} expert games`;
}

function opdArm(episodes: number): string {
  return `OPD, ${episodes} own episodes`;
}

function grpoArm(rate: number): string {
  return `GRPO, rate ${rate}`;
}

/** On-policy distillation: in every state of its own episodes the student moves towards what the expert thinks there. No rewards. */
function distil(
  expert: Expert,
  exam: Exam,
  ownEpisodes: readonly number[],
  seed: number,
): { readonly arms: Measured['arms']; readonly curve: readonly CurvePoint[] } {
  const student: Student = new Map();
  const arms: Record<string, Readonly<Record<string, number>>> = {};
  const curve: CurvePoint[] = [{ x: 0, y: exam.start(student) }];
  const episodes = Math.max(...ownEpisodes);
  for (let episode = 1; episode <= episodes; episode += 1) {
    const { moves } = play(policyOf(student), randomStream(seed, 'tabular-distillation/own', episode));
    followExpert(student, moves, expert);
    if (episode % LOOK.distillation > 0) continue;
    curve.push({ x: episode, y: exam.start(student) });
    if (ownEpisodes.includes(episode)) arms[opdArm(episode)] = resultOf(exam, student);
  }
  const last = opdArm(episodes);
  return { arms: { ...arms, [last]: { ...arms[last], needed: neededOf(curve) } }, curve };
}

/** GRPO with the outcome alone: 1 for a game that was won, 0 for another. */
function reinforceWins(
  exam: Exam,
  rate: number,
  episodes: number,
  seed: number,
): { readonly numbers: Readonly<Record<string, number>>; readonly curve: readonly CurvePoint[] } {
  const student: Student = new Map();
  const curve: CurvePoint[] = [{ x: 0, y: exam.start(student) }];
  let dead = 0;
  for (let played = GROUP; played <= episodes; played += GROUP) {
    const games = Array.from({ length: GROUP }, (_, sample) =>
      play(policyOf(student), randomStream(seed, 'tabular-distillation/group', played, sample)),
    );
    const { advantages, constant } = groupAdvantages([games.map(({ success }) => Number(success))]);
    if (constant[0]) dead += 1;
    else followAdvantages(student, games, advantages[0] as readonly number[], rate);
    if (played % LOOK.grpo === 0) curve.push({ x: played, y: exam.start(student) });
  }
  const numbers = { ...resultOf(exam, student), needed: neededOf(curve), dead: dead / (episodes / GROUP) };
  return { numbers, curve };
}

/** Episodes to the first look at which it was learned; all of them when it never was. */
function neededOf(curve: readonly CurvePoint[]): number {
  const { x } = (curve.find(({ y }) => y >= LEARNED) ?? curve.at(-1)) as CurvePoint;
  return x;
}

function claims(results: Measurements): Claim[] {
  const arms = Object.keys(results.arms);
  const ofKind = (kind: string): string[] => arms.filter((arm) => arm.startsWith(kind));
  const longest = ofKind('OPD').at(-1) as string;
  const mostGames = ofKind('SFT').at(-1) as string;
  const distilled = measured(results, longest, 'needed');
  const reinforced = ofKind('GRPO').map((arm) => ({ arm, ...measured(results, arm, 'needed') }));
  const fastest = reinforced.reduce((best, arm) => (arm.mean < best.mean ? arm : best));
  const gap = measured(results, longest, 'kicked').mean - measured(results, mostGames, 'kicked').mean;
  return [
    {
      claim: 'OPD succeeds in 97 % within 80 episodes, every seed',
      holds: distilled.max <= 80,
      measured: `most ${distilled.max}`,
    },
    ...reinforced.map(({ arm, min }) => ({
      claim: `${arm} needs 2,000 episodes or more, every seed`,
      holds: min >= 2000,
      measured: `least ${min}`,
    })),
    {
      claim: 'OPD needs a tenth of what GRPO needs at its best rate, or less',
      holds: distilled.mean <= fastest.mean / 10,
      measured: `${distilled.mean.toFixed(0)} and ${fastest.mean.toFixed(0)} (${fastest.arm})`,
    },
    {
      claim: `after the kick, ${longest} succeeds 3 points more than ${mostGames}`,
      holds: gap >= 0.03,
      measured: `${(100 * gap).toFixed(1)} points`,
    },
  ];
}
