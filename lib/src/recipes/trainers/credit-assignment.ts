/** One turn of six decides. Which ways of giving credit notice, and does it help? */
import { lineChart, type Series, standaloneSvg, trailingMean } from '../../display/index.js';
import { keyDoorTurns } from '../../envs/key-door/index.js';
import { mean } from '../../losses/index.js';
import { disposeModel } from '../../model/index.js';
import { type ArmRun, type CreditArm, type CreditSettings, learnWithCredit } from './credit-arm.js';
import type {
  Claim,
  CurvePoint,
  Experiment,
  Measured,
  Measurement,
  Measurements,
  Progress,
} from './experiment.js';
import { keyDoorPolicy, keyDoorTokenizer } from './key-door-policy.js';
import { measured, shareColumn, wholePercent } from './measurements.js';
import { groupCredit } from './turn-credit.js';

interface Settings extends CreditSettings {
  readonly pretrainingSteps: number;
}

/** The turn on which the key is taken, 0-based. */
const DECISIVE = keyDoorTurns.indexOf('keys');
/** Solved: the mean of so many steps in a row reaches this share of opened doors. */
const SOLVED = { share: 0.9, steps: 4 } as const;

const arms = {
  GRPO: { reward: 'outcome', credit: groupCredit() },
  'turn-level, outcome': { reward: 'outcome', credit: groupCredit({ advantageLevel: 'turn' }) },
  'turn-level, process': { reward: 'process', credit: groupCredit({ advantageLevel: 'turn', gamma: 0 }) },
  'PPO, λ 0.95': { reward: 'outcome', credit: { lam: 0.95, criticLam: 1 } },
  'PPO, λ 0': { reward: 'outcome', credit: { lam: 0, criticLam: 1 } },
  'PPO, λ 0, critic too': { reward: 'outcome', credit: { lam: 0, criticLam: 0 } },
} as const satisfies Record<string, CreditArm>;
type Name = keyof typeof arms;
const names = Object.keys(arms) as Name[];

export const creditAssignment: Experiment<Settings> = {
  name: 'credit-assignment',
  description:
    'which turn of six gets the credit: GRPO, turn-level advantages, PPO with a critic, on the key-door task',
  hypothesis:
    'GRPO gives all six turns the same advantage. Turn-level advantages with a process reward, and a critic without one, put at least three times as much ' +
    'on the turn that decides, and solve the task from fewer episodes.',
  seeds: [1, 2, 3],
  settings: {
    full: {
      pretrainingSteps: 80,
      steps: 50,
      numGenerations: 16,
      learningRate: 1e-3,
      criticLearningRate: 1e-2,
      criticEpochs: 10,
    },
    quick: {
      pretrainingSteps: 60,
      steps: 20,
      numGenerations: 16,
      learningRate: 2e-3,
      criticLearningRate: 1e-2,
      criticEpochs: 10,
    },
  },
  columns: {
    share: shareColumn('on the decisive turn'),
    before: { header: 'turn before', format: (value) => value.toFixed(2) },
    after: { header: 'turns after', format: (value) => value.toFixed(2) },
    episodes: { header: 'episodes to solve', format: (value) => value.toFixed(0) },
    success: shareColumn('doors opened at the end'),
  },
  measure,
  claims,
  remarks: [
    'On the decisive turn: its share of the summed |advantage| of all six turns; 17 % is an even split. Turn before, turns after: |advantage| relative to the decisive turn’s.',
    'The critic learns from what really came (λ 1), the policy from what the critic says (λ 0): decoupled GAE (arXiv 2503.01491). With λ 0 for the critic too it learns from its own opinion of the next turn, which is nothing but its start for the first hundred episodes.',
    'λ 0.95 cannot put more than 51 % on the turn: it hands 95 % of the credit on to the turn before, whatever the critic knows. The rest goes to the turns after it, on which a critic of so few episodes still errs.',
    'All episodes count, the first of the critic too. GRPO’s even credit costs about a quarter more of them than a process reward at once; PPO needs as many as GRPO, or fewer.',
  ],
  figures,
};

async function* measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void> {
  const { steps } = settings;
  const total = steps * names.length + 1;
  yield { done: 0, total, note: 'learning what there is to say' };
  const tokenizer = keyDoorTokenizer();
  const base = await keyDoorPolicy(seed, tokenizer, settings.pretrainingSteps);
  const results: [Name, ArmRun][] = [];
  try {
    for (const [index, name] of names.entries()) {
      const run: ArmRun = { success: [], magnitudes: [] };
      for await (const step of learnWithCredit(base, tokenizer, arms[name], seed, settings, run)) {
        run.success.push(step.metrics['rewards/success/mean'] ?? 0);
        yield {
          done: index * steps + step.step,
          total,
          note: `${name}, opened ${wholePercent(run.success.at(-1) as number)}`,
        };
      }
      results.push([name, run]);
    }
  } finally {
    disposeModel(base);
  }
  const episodesPerStep = settings.numGenerations;
  const success = ([name, run]: [Name, ArmRun]): [string, CurvePoint[]] => [
    name,
    trailingMean(
      run.success.map((y, step) => ({ x: (step + 1) * episodesPerStep, y })),
      SOLVED.steps,
    ),
  ];
  const credit = ([name, run]: [Name, ArmRun]): [string, CurvePoint[]] => [
    name,
    meanOfSteps(run).map((y, turn) => ({ x: turn + 1, y })),
  ];
  return {
    arms: Object.fromEntries(results.map(([name, run]) => [name, describe(run, episodesPerStep)])),
    curves: {
      success: Object.fromEntries(results.map(success)),
      credit: Object.fromEntries(results.map(credit)),
    },
  };
}

/** Mean |advantage| of each turn over all steps of a run. */
function meanOfSteps({ magnitudes }: ArmRun): number[] {
  return keyDoorTurns.map((_, turn) => mean(magnitudes.map((sizes) => sizes[turn] as number)));
}

function describe(run: ArmRun, episodesPerStep: number): Record<string, number> {
  const sizes = meanOfSteps(run);
  const trend = trailingMean(
    run.success.map((y, x) => ({ x, y })),
    SOLVED.steps,
  );
  const solved = trend.findIndex(({ y }, step) => step + 1 >= SOLVED.steps && y >= SOLVED.share);
  return {
    share: (sizes[DECISIVE] as number) / sizes.reduce((sum, size) => sum + size, 0),
    before: (sizes[0] as number) / (sizes[DECISIVE] as number),
    after: mean(sizes.slice(DECISIVE + 1)) / (sizes[DECISIVE] as number),
    // what never happened took longer than all there was
    episodes: (solved < 0 ? run.success.length + 1 : solved + 1) * episodesPerStep,
    success: trend.at(-1)?.y ?? 0,
  };
}

/** |advantage| on the decisive turn over that on one of the others, from the share that falls on it. */
function timesFiller(share: number): number {
  return (share * (keyDoorTurns.length - 1)) / (1 - share);
}

/** What should notice which turn decided. */
const focused = ['turn-level, process', 'PPO, λ 0.95', 'PPO, λ 0'] as const satisfies readonly Name[];

function claims(results: Measurements): Claim[] {
  const share = (name: Name): Measurement => measured(results, name, 'share');
  const episodes = (name: Name): Measurement => measured(results, name, 'episodes');
  const times = (value: number): string =>
    value < 1 ? `${timesFiller(value).toFixed(1)} times` : 'all of it';
  const attentive = focused.map((name) => ({
    claim: `${name}: three times as much on the decisive turn as on another, every seed`,
    holds: timesFiller(share(name).min) >= 3 * timesFiller(share('GRPO').mean),
    measured: `at least ${times(share(name).min)}, GRPO ${times(share('GRPO').mean)}`,
  }));
  const faster = focused.map((name) => ({
    claim: `${name} solves the task from fewer episodes than GRPO, every seed`,
    holds: episodes(name).values.every((value, i) => value < (episodes('GRPO').values[i] as number)),
    measured: `${episodes(name).values.join(', ')} against ${episodes('GRPO').values.join(', ')}`,
  }));
  return [
    {
      claim:
        'turn-level advantages of an outcome reward are GRPO’s, but for episodes cut short (within 1 point)',
      holds: Math.abs(share('turn-level, outcome').mean - share('GRPO').mean) < 0.01,
      measured: `${wholePercent(share('turn-level, outcome').mean)} on the decisive turn, GRPO ${wholePercent(share('GRPO').mean)}`,
    },
    ...attentive,
    {
      claim:
        'a critic that learns from what came finds the turn better than one that learns from itself, every seed',
      holds: share('PPO, λ 0').values.every(
        (value, i) => value > (share('PPO, λ 0, critic too').values[i] as number),
      ),
      measured: `${wholePercent(share('PPO, λ 0').mean)} and ${wholePercent(share('PPO, λ 0, critic too').mean)}`,
    },
    ...faster,
  ];
}

function figures({ curves }: Measurements): Record<string, string> {
  const series = (figure: string): Series[] =>
    names.map((name) => ({ name, points: curves[figure]?.[name] ?? [] }));
  const learning = lineChart({
    title: 'Learning which key to take',
    description: `Share of doors opened against episodes sampled, mean of ${SOLVED.steps} steps, mean and range over seeds.`,
    xLabel: 'episodes sampled',
    yLabel: 'doors opened',
    yRange: [0, 1],
    series: series('success'),
    width: 620,
  });
  const credit = lineChart({
    title: 'Credit of each turn; the second decides',
    description: 'Mean size of the advantage on each of six turns, mean and range over seeds.',
    xLabel: 'turn',
    yLabel: 'mean |advantage|',
    series: series('credit'),
    width: 620,
  });
  return { 'credit-learning.svg': standaloneSvg(learning), 'credit-turns.svg': standaloneSvg(credit) };
}
