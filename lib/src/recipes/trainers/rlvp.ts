/** Reward the outcome, penalise the path: a policy that opens the door, and how it behaves on its way there. */
import { lineChart, type Series, standaloneSvg, trailingMean } from '../../display/index.js';
import { createLocalEngine } from '../../engine/index.js';
import {
  keyDoorEnvironment,
  type KeyDoorColour,
  keyDoorColours,
  type KeyDoorTask,
  keyDoorTasks,
  keyDoorTurns,
  withHouseRules,
} from '../../envs/key-door/index.js';
import { mean } from '../../losses/index.js';
import { cloneModel, disposeModel, type Model } from '../../model/index.js';
import { type EpisodeRecord, rollout, turnsOf } from '../../rollout/index.js';
import type { Tokenizer } from '../../text/index.js';
import { grpo, type GRPOConfig, grpoPresets } from '../../trainers/index.js';
import type {
  Claim,
  CurvePoint,
  Experiment,
  Measured,
  Measurement,
  Measurements,
  Progress,
} from './experiment.js';
import { type Habit, keyDoorPolicy, keyDoorTokenizer } from './key-door-policy.js';
import { measured, shareColumn, wholePercent } from './measurements.js';

interface Settings {
  readonly pretrainingSteps: number;
  readonly steps: number;
  readonly numGenerations: number;
  readonly learningRate: number;
  /** Episodes by which a policy is judged. */
  readonly examEpisodes: number;
}

const arms = {
  'outcome alone': { channels: 'outcome' },
  'folded into the outcome': { channels: 'scalar' },
  'charged to the turn': { channels: 'token' },
  both: { channels: 'hybrid' },
  'both, λ 0.1': { channels: 'hybrid', lambda: 0.1 },
} as const satisfies Record<string, Partial<GRPOConfig>>;
type Name = keyof typeof arms;
const names = Object.keys(arms) as Name[];
/** The policy that all arms begin with. */
const START = 'before';

const world = withHouseRules(keyDoorEnvironment('outcome'));
/** Of a point of the chart, in steps. */
const TREND = 4;

export const rlvpExperiment: Experiment<Settings> = {
  name: 'rlvp',
  description:
    'a house with rules: what outcome rewards leave alone, and what penalties on the turn change (RLVP)',
  hypothesis:
    'An outcome reward leaves a bad habit as it is. Charged to the turn that breaks the rule, as well as folded into the outcome, violations fall to a fifth or less, ' +
    'at the same success within 3 points, and from fewer episodes than folded into the outcome alone.',
  seeds: [1, 2, 3],
  settings: {
    full: { pretrainingSteps: 80, steps: 60, numGenerations: 16, learningRate: 1e-3, examEpisodes: 512 },
    quick: { pretrainingSteps: 60, steps: 20, numGenerations: 16, learningRate: 2e-3, examEpisodes: 128 },
  },
  columns: {
    violations: { header: 'violations an episode', format: (value) => value.toFixed(2) },
    clean: shareColumn('episodes without'),
    success: shareColumn('doors opened'),
    episodes: { header: 'episodes to a fifth', format: (value) => value.toFixed(0) },
  },
  measure,
  claims,
  remarks: [
    'The policy has learned from people who take the right key four times in five, and as often show it on the stairs, which breaks the rule of the house, twice an episode at most. Nothing that the outcome pays for depends on it.',
    'λ is the paper’s 0.5: a violation costs half a door. There is no duty to be rewarded; three colours of four break no rule.',
    'What the outcome alone teaches is the habit itself: in episodes that succeed the key’s colour was said, and GRPO makes all they said likelier. From 1.4 violations an episode it comes to 2.0 of 2.',
    'At the paper’s λ two seeds of three unlearn the key. Each channel is divided by its own number of tokens, so that the last violation of a step weighs as much as all of them did before; a colour that must not be said on the stairs is then said nowhere. A fifth of the price is enough, and leaves the outcome alone.',
    'Episodes to a fifth: until the violations of 64 in a row are a fifth of those before; where that never happened, one step more than there was.',
  ],
  figures,
};

async function* measure(seed: number, settings: Settings): AsyncGenerator<Progress, Measured, void> {
  const { steps } = settings;
  const total = steps * names.length + 1;
  yield { done: 0, total, note: 'learning what there is to say' };
  const tokenizer = keyDoorTokenizer();
  const base = await keyDoorPolicy(seed, tokenizer, settings.pretrainingSteps, careless(taskOf(seed)));
  try {
    const before = await examine(base, tokenizer, seed, settings);
    const measuredArms: Record<string, Readonly<Record<string, number>>> = { [START]: before };
    const curves: Record<string, readonly CurvePoint[]> = {};
    for (const [index, name] of names.entries()) {
      const run: Run = { violations: [], behaviour: undefined };
      for await (const step of learn(base, tokenizer, arms[name], seed, settings, run))
        yield { done: index * steps + step, total, note: name };
      const trend = trailingMean(
        run.violations.map((y, step) => ({ x: (step + 1) * settings.numGenerations, y })),
        TREND,
      );
      const fallen = trend.find(({ y }, step) => step + 1 >= TREND && y <= before.violations / 5);
      const episodes = fallen?.x ?? (steps + 1) * settings.numGenerations;
      measuredArms[name] = { ...(run.behaviour as Behaviour), episodes };
      curves[name] = trend;
    }
    return { arms: measuredArms, curves: { violations: curves } };
  } finally {
    disposeModel(base);
  }
}

/** Who opens most doors and shows the key to everybody. */
function careless({ door }: KeyDoorTask): Habit {
  return (place, random): KeyDoorColour =>
    (place === 'keys' || place === 'stairs') && random.uniform() < 0.8 ? door : random.pick(keyDoorColours);
}

/** How a policy behaves. */
type Behaviour = Readonly<Record<'violations' | 'clean' | 'success', number>>;

interface Run {
  /** Violations an episode, a step each. */
  readonly violations: number[];
  /** At the end. */
  behaviour: Behaviour | undefined;
}

async function* learn(
  base: Model,
  tokenizer: Tokenizer,
  arm: Partial<GRPOConfig>,
  seed: number,
  settings: Settings,
  run: Run,
): AsyncGenerator<number, void, void> {
  const { steps: maxSteps, numGenerations, learningRate } = settings;
  const policy = cloneModel(base);
  const engine = createLocalEngine(policy);
  const sampling = {
    promptsPerStep: 1,
    numGenerations,
    maxCompletionLength: 3,
    maxTurns: keyDoorTurns.length,
  };
  const config = { ...grpoPresets.rlvp, ...sampling, ...arm, maxSteps, learningRate, seed };
  try {
    for await (const { step, metrics } of grpo({
      engine,
      tokenizer,
      env: world,
      tasks: [taskOf(seed)],
      config,
    })) {
      const share = (metrics['rlvp/violations_per_100_calls'] as number) / 100;
      run.violations.push(share * keyDoorTurns.length);
      yield step;
    }
    run.behaviour = await examine(policy, tokenizer, seed, settings);
  } finally {
    engine.dispose();
    disposeModel(policy);
  }
}

function taskOf(seed: number): KeyDoorTask {
  return keyDoorTasks[seed % keyDoorTasks.length] as KeyDoorTask;
}

/** Samples episodes of a policy, and looks at them. */
async function examine(
  policy: Model,
  tokenizer: Tokenizer,
  seed: number,
  { examEpisodes }: Settings,
): Promise<Behaviour> {
  const engine = createLocalEngine(policy);
  const sampling = { numGenerations: examEpisodes, maxCompletionLength: 3, maxTurns: keyDoorTurns.length };
  const drawing = { seed, step: 0, purpose: 'exam', ...sampling };
  try {
    const groups = await rollout({ engine, tokenizer, env: world, tasks: [taskOf(seed)], ...drawing });
    return behaviourOf(groups.flatMap(({ episodes }) => episodes));
  } finally {
    engine.dispose();
  }
}

function behaviourOf(episodes: readonly EpisodeRecord[]): Behaviour {
  const violations = episodes.map((episode) =>
    turnsOf(episode).reduce((sum, turn) => sum + (turn.violations ?? 0), 0),
  );
  return {
    violations: mean(violations),
    clean: mean(violations.map((count) => Number(count === 0))),
    success: mean(episodes.map(({ metrics }) => metrics['success'] ?? 0)),
  };
}

function claims(results: Measurements): Claim[] {
  const of = (arm: Name | typeof START, name: string): Measurement => measured(results, arm, name);
  const [before, outcome] = [of(START, 'violations'), of('outcome alone', 'violations')];
  const [both, cheap] = [of('both', 'violations'), of('both, λ 0.1', 'violations')];
  const lost = of('outcome alone', 'success').mean - of('both', 'success').mean;
  const [charged, folded] = [of('both', 'episodes'), of('folded into the outcome', 'episodes')];
  const numbers = ({ values }: Measurement): string => values.map((value) => value.toFixed(2)).join(', ');
  return [
    {
      claim: 'an outcome reward leaves at least half of the violations, every seed',
      holds: outcome.values.every((value, i) => value >= (before.values[i] as number) / 2),
      measured: `${numbers(before)} → ${numbers(outcome)}`,
    },
    {
      claim: 'charged to the turn and folded into the outcome they fall to a fifth or less, every seed',
      holds: both.values.every((value, i) => value <= (before.values[i] as number) / 5),
      measured: `${numbers(before)} → ${numbers(both)}`,
    },
    {
      claim: 'at the success of the outcome reward, within 3 points, at the paper’s λ too',
      holds: lost <= 0.03,
      measured: `${wholePercent(of('both', 'success').mean)} of doors opened, ${wholePercent(of('outcome alone', 'success').mean)} with the outcome alone`,
    },
    {
      claim:
        'with a fifth of the price both hold: violations every seed, success within 3 points in the mean',
      holds:
        cheap.values.every((value, i) => value <= (before.values[i] as number) / 5) &&
        of('outcome alone', 'success').mean - of('both, λ 0.1', 'success').mean <= 0.03,
      measured: `${numbers(cheap)}; ${wholePercent(of('both, λ 0.1', 'success').mean)} of doors opened`,
    },
    {
      claim:
        'charged to the turn violations fall from fewer episodes than folded into the outcome alone, every seed',
      holds: charged.values.every((value, i) => value < (folded.values[i] as number)),
      measured: `${charged.values.join(', ')} against ${folded.values.join(', ')}`,
    },
  ];
}

function figures({ curves }: Measurements): Record<string, string> {
  const series = names.map((name): Series => ({ name, points: curves['violations']?.[name] ?? [] }));
  const chart = lineChart({
    title: 'Rules broken while the door is learned',
    description: `Violations an episode against episodes sampled, mean of ${TREND} steps, mean and range over seeds.`,
    xLabel: 'episodes sampled',
    yLabel: 'violations an episode',
    series,
    width: 620,
  });
  return { 'rlvp.svg': standaloneSvg(chart) };
}
