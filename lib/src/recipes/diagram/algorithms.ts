/** Every way to go on from one SFT checkpoint, on the same number of episodes: what is compared, and what was expected of it. */
import { lineChart, percent, standaloneSvg, trailingMean, type Series } from '../../display/index.js';
import {
  type DistillationConfig,
  type GKDConfig,
  type GRPOConfig,
  grpoPresets,
  type PPOConfig,
  type RFTConfig,
} from '../../trainers/index.js';
import type { Claim, Column, Experiment, Measurements } from '../trainers/experiment.js';
import { measured, shareColumn } from '../trainers/measurements.js';

/** How a policy goes on from the checkpoint; what a config leaves open has the trainer's default, `seed` is the repetition's. */
export type Algorithm =
  | { readonly trainer: 'none' }
  /** The same policy, which answers with the best of `n` samples. */
  | { readonly trainer: 'best-of-n'; readonly n: number }
  | { readonly trainer: 'grpo'; readonly config: Partial<GRPOConfig> }
  | { readonly trainer: 'ppo'; readonly config: Partial<PPOConfig> }
  | { readonly trainer: 'rft'; readonly config: Partial<RFTConfig> }
  | { readonly trainer: 'distill'; readonly config: Partial<DistillationConfig> }
  | { readonly trainer: 'gkd'; readonly config: Partial<GKDConfig> };

export interface AlgorithmSettings {
  readonly quick: boolean;
  readonly algorithms: Readonly<Record<string, Algorithm>>;
  /** Episodes after which training stops: what all trainers have in common. */
  readonly episodes: number;
  readonly evaluation: {
    readonly tasks: number;
    readonly samplesPerTask: number;
    readonly maxCompletionLength: number;
  };
}

interface Budget {
  readonly episodes: number;
  /** Episodes of a step of those that learn from groups. */
  readonly perStep: number;
  readonly group: number;
  readonly maxCompletionLength: number;
}

/** The group of GRPO divides every batch, so that all take as many steps on as many episodes. */
function algorithmsFor({ episodes, perStep, group, maxCompletionLength }: Budget): Record<string, Algorithm> {
  const sampled = { maxCompletionLength, learningRate: 1.5e-4, adamBeta2: 0.99 };
  // samples of the short form are cut: SFT has hardly begun there
  const shared = { ...sampled, maxClippedRatio: 1 };
  const steps = { maxSteps: Math.round(episodes / perStep), warmupSteps: 3 };
  const groups = { promptsPerStep: perStep / group, numGenerations: group };
  const singles = { promptsPerStep: perStep, numGenerations: 1 };
  // A round of RFT learns from what many samples have left over.
  const rounds = 3;
  const round = { promptsPerStep: Math.round(episodes / rounds / group), maxSteps: rounds };
  // A fifth of the episodes, in as many steps as half of the others take.
  const distilled = {
    promptsPerStep: Math.round((perStep * 2) / 5),
    numGenerations: 1,
    maxSteps: Math.round(episodes / perStep / 2),
    warmupSteps: 3,
  };
  return {
    SFT: { trainer: 'none' },
    'best of 8': { trainer: 'best-of-n', n: 8 },
    RFT: {
      trainer: 'rft',
      config: { ...sampled, ...round, numGenerations: group, rewardThreshold: 0.9, keepBest: true },
    },
    REINFORCE: { trainer: 'grpo', config: { ...shared, ...steps, ...grpoPresets.reinforce, ...singles } },
    RLOO: {
      trainer: 'grpo',
      config: { ...shared, ...steps, ...grpoPresets.rloo, promptsPerStep: perStep / 4 },
    },
    PPO: { trainer: 'ppo', config: { ...sampled, ...steps, ...singles, numPpoEpochs: 1, numMiniBatches: 2 } },
    GRPO: { trainer: 'grpo', config: { ...shared, ...steps, ...grpoPresets.grpo, ...groups } },
    DAPO: {
      trainer: 'grpo',
      config: {
        ...steps,
        ...grpoPresets.dapo,
        ...groups,
        ...shared,
        softPunishCache: Math.round(maxCompletionLength / 5),
      },
    },
    'Dr. GRPO': { trainer: 'grpo', config: { ...shared, ...steps, ...grpoPresets.drGrpo, ...groups } },
    OPD: { trainer: 'distill', config: { ...sampled, ...distilled, learningRate: 3e-4 } },
    GKD: {
      trainer: 'gkd',
      config: { ...sampled, ...distilled, learningRate: 3e-4, lmbda: 1, beta: 1, temperature: 1 },
    },
  };
}

const full: Budget = { episodes: 3072, perStep: 128, group: 8, maxCompletionLength: 192 };
const quick: Budget = { episodes: 32, perStep: 16, group: 4, maxCompletionLength: 64 };

const algorithmSettings: Readonly<Record<'full' | 'quick', AlgorithmSettings>> = {
  full: {
    quick: false,
    algorithms: algorithmsFor(full),
    episodes: full.episodes,
    evaluation: { tasks: 200, samplesPerTask: 4, maxCompletionLength: full.maxCompletionLength },
  },
  quick: {
    quick: true,
    algorithms: algorithmsFor(quick),
    episodes: quick.episodes,
    evaluation: { tasks: 4, samplesPerTask: 2, maxCompletionLength: quick.maxCompletionLength },
  },
};

const algorithmColumns: Readonly<Record<string, Column>> = {
  success: shareColumn('success', percent),
  reward: { header: 'R', format: threeDigits },
  kl: { header: 'KL to SFT, nats a reply', format: (value) => value.toFixed(2) },
  entropy: { header: 'entropy, nats a token', format: threeDigits },
  episodes: { header: 'episodes', format: (value) => value.toFixed(0) },
  // not −0, which an interval around nothing may begin with
  seconds: { header: 's of one core', format: (value) => String(Math.round(value) + 0) },
};

function threeDigits(value: number): string {
  return value.toFixed(3);
}

const algorithmHypothesis: string =
  'On as many episodes all that learn from rewards raise success. The group methods (RLOO, GRPO, DAPO, Dr. GRPO) come out within three points of each ' +
  'other; REINFORCE, which takes a hard task for a bad sample, and PPO, whose critic must learn first, gain less; RFT learns from successes alone and gains ' +
  'less than GRPO. The best of eight samples beats them all and pays eight samples an answer. On-policy distillation reaches the reward of GRPO with a ' +
  'fifth of the episodes, from a teacher that GRPO has trained for longer.';

/** Those that learn from rewards. */
const rewarded = ['RFT', 'REINFORCE', 'RLOO', 'PPO', 'GRPO', 'DAPO', 'Dr. GRPO'] as const;
const groupMethods = ['RLOO', 'GRPO', 'DAPO', 'Dr. GRPO'] as const;

function algorithmClaims(results: Measurements): Claim[] {
  const of = (arm: string, name: string): number => measured(results, arm, name).mean;
  const gain = (arm: string): number => of(arm, 'success') - of('SFT', 'success');
  const points = (share: number): string => `${(100 * share).toFixed(1)} points`;
  const groupSuccess = groupMethods.map((arm) => of(arm, 'success'));
  const spread = Math.max(...groupSuccess) - Math.min(...groupSuccess);
  const least = rewarded.reduce((a, b) => (gain(b) < gain(a) ? b : a));
  const fewer = of('GRPO', 'episodes') / of('OPD', 'episodes');
  const behind = (arm: string): Claim => ({
    claim: `${arm} gains less success than GRPO`,
    holds: gain(arm) < gain('GRPO'),
    measured: `${points(gain(arm))} against ${points(gain('GRPO'))}`,
  });
  const reaches = (arm: string): Claim => ({
    claim: `${arm} reaches GRPO’s reward with a fifth of the episodes`,
    holds: of(arm, 'reward') >= of('GRPO', 'reward') && fewer >= 5,
    measured: `${threeDigits(of(arm, 'reward'))} against ${threeDigits(of('GRPO', 'reward'))}, ${fewer.toFixed(1)} times fewer episodes`,
  });
  return [
    {
      claim: 'everyone who learns from rewards gains success',
      holds: gain(least) > 0,
      measured: `least ${least}, ${points(gain(least))}`,
    },
    {
      claim: 'RLOO, GRPO, DAPO and Dr. GRPO are within 3 points',
      holds: spread <= 0.03,
      measured: points(spread),
    },
    behind('REINFORCE'),
    behind('PPO'),
    behind('RFT'),
    {
      claim: 'the best of 8 samples beats every trained policy’s single sample',
      holds: rewarded.every((arm) => gain('best of 8') > gain(arm)),
      measured: `${points(gain('best of 8'))}, others at most ${points(Math.max(...rewarded.map(gain)))}`,
    },
    reaches('OPD'),
    reaches('GKD'),
  ];
}

/** The other group methods would cover GRPO's line. */
const drawn = ['REINFORCE', 'PPO', 'GRPO', 'OPD'] as const;

function algorithmFigures({ curves }: Measurements): Record<string, string> {
  const series = drawn.map((name): Series => {
    const points = curves['reward']?.[name] ?? [];
    const smooth = (pick: 'y' | 'low' | 'high'): number[] =>
      trailingMean(
        points.map((point) => ({ x: point.x, y: point[pick] })),
        WINDOW,
      ).map(({ y }) => y);
    const [y, low, high] = [smooth('y'), smooth('low'), smooth('high')];
    return {
      name,
      points: points.map(({ x }, i) => ({ x, y: y[i]!, low: low[i]!, high: high[i]! })),
    };
  });
  const chart = lineChart({
    title: 'From one SFT checkpoint, episode by episode',
    description: `Reward of the samples, mean of ${WINDOW} steps, mean and range over seeds.`,
    xLabel: 'episodes',
    yLabel: 'reward',
    series,
    width: 620,
  });
  return { 'diagram-algorithms.svg': standaloneSvg(chart) };
}

/** Steps over which the drawn curves are means. */
const WINDOW = 5;

/** All of the experiment but how it is measured. */
export const algorithmComparison: Omit<Experiment<AlgorithmSettings>, 'measure'> = {
  name: 'diagram-algorithms',
  description:
    'REINFORCE, RLOO, PPO, GRPO, DAPO, Dr. GRPO, RFT, best-of-8 and distillation from one SFT checkpoint, on as many episodes',
  hypothesis: algorithmHypothesis,
  seeds: [1, 2, 3],
  settings: algorithmSettings,
  columns: algorithmColumns,
  claims: algorithmClaims,
  remarks: [
    'Only PPO is clearly behind. RFT, REINFORCE, RLOO, GRPO, DAPO and Dr. GRPO differ by less than one of them does from seed to seed: where SFT already ' +
      'draws well four times in ten, any way of making the better samples likelier finds the same 12 points.',
    'OPD ends 0.002 of reward below GRPO, a tenth of its interval: with a fifth of the episodes both kinds of distillation are where the policy gradient is. ' +
      'Their teacher is a policy that GRPO trained for 60 steps, so they are a way to hand skill on, not to find it.',
    'PPO pays for a second model and shares no prompt between samples: two and a half times the seconds of GRPO for a third of its gain after 24 steps.',
    'Every algorithm has the learning rate, batch and clip range of the others; none was tuned by itself.',
    'Seconds are of one core, so that they do not depend on what else the machine did; the critic of PPO computes in one thread.',
  ],
  figures: algorithmFigures,
};
