import {
  type LossType,
  lossTypes,
  type RLVPChannels,
  type RLVPOptions,
  type ScaleRewards,
} from '../losses/index.js';
import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, rangeRule, requireRules, resolveConfig, type Rule } from './resolve-config.js';
import { samplingAdvice, type SamplingConfig, samplingDefaults, samplingRules } from './sampling-config.js';

/**
 * What a reward is compared with: the mean of its group (`'group'`), of the group's other samples (`'leave_one_out'`), of the whole
 * batch (`'batch'`), or nothing (`'none'`). Samples of one task make a group, those of one step a batch.
 */
export type Baseline = 'group' | 'leave_one_out' | 'batch' | 'none';

/**
 * Settings of `grpo`, with TRL's names where TRL has the setting. `numGenerations` is at least 2 where samples are each other's baseline;
 * more make it less noisy.
 */
export interface GRPOConfig extends SamplingConfig, OptimizerConfig, RLVPOptions {
  // Parameters that control the advantages
  /**
   * The baseline of a reward. `'group'`: DeepSeekMath, arXiv 2402.03300; `'leave_one_out'`: RLOO, arXiv 2402.14740; `'batch'` and `'none'`:
   * REINFORCE (Williams 1992), and the only ones for groups of one. `'group'`. (TRL has a trainer for each.)
   */
  readonly baseline: Baseline;
  /**
   * What centred rewards are divided by. `'group'` (or true): the group's standard deviation (DeepSeekMath, arXiv 2402.03300); `'batch'`:
   * the batch's; `'none'` (or false): nothing (Dr. GRPO, arXiv 2503.20783), which keeps easy and hard tasks from weighing more. `'group'`.
   */
  readonly scaleRewards: ScaleRewards | boolean;
  /** A group whose reward deviation is below it has advantages 0. 1e-3; 0 to match TRL. Lower it when rewards are on a tiny scale. */
  readonly zeroStdThreshold: number;
  /**
   * Tokens below `maxCompletionLength` over which a reply's reward falls by up to 1 (`softOverlongPunishment`; of several replies the
   * longest counts). `null` = no punishment. DAPO: a fifth of `maxCompletionLength`.
   */
  readonly softPunishCache: number | null;
  /**
   * Groups without signal: `false` keeps them (they dilute the loss, and pull towards the reference when beta > 0); `true` leaves them
   * out; `'resample'` draws further tasks until `promptsPerStep` groups carry signal (DAPO's dynamic sampling, arXiv 2503.14476). false.
   */
  readonly filterZeroStdGroups: boolean | 'resample';
  /** Sampling rounds of one step under `'resample'`; when none brought signal the step is skipped. 6. */
  readonly maxResampleRounds: number;
  /** Replies that were cut teach nothing, and leave the denominator too (DAPO, overlong filtering). false. */
  readonly maskTruncatedCompletions: boolean;

  // Parameters that control what is learned from the process
  /**
   * What is learned from: the `'outcome'` alone, whatever rules were broken on the way; or `violations` and `discharges` of turns as well,
   * folded into the outcome (`'scalar'`), charged to the tokens of their turn (`'token'`), or both (`'hybrid'`): RLVP, arXiv 2607.07435.
   * `'outcome'`.
   */
  readonly channels: RLVPChannels;
  /** λ, the price of a violation. 0.5. Read unless `channels` is `'outcome'`. */
  readonly lambda: number;
  /** β, the reward of a discharged obligation, so that doing nothing is not the best way to break no rule. 0.5. */
  readonly processCredit: number;

  // Parameters that control the loss
  /**
   * How token losses are averaged: see `tokenWeights`. `'dapo'`: every token of the step weighs the same. `'cispo'` weighs like it, but
   * caps the ratio at `epsilonHigh` in place of clipping (`cispoLoss`). `'dapo'`.
   */
  readonly lossType: LossType;
  /** Whose probability ratio is clipped: each `'token'`'s, or the whole `'sequence'`'s (GSPO, arXiv 2507.18071: epsilon 3e-4). `'token'`. */
  readonly importanceSamplingLevel: 'token' | 'sequence';
  /** Optimizer updates on the same samples (μ of the paper). 1. With more, clipping begins to matter. */
  readonly numIterations: number;
  /** Lower clip range of the probability ratio (PPO, arXiv 1707.06347). 0.2. */
  readonly epsilon: number;
  /**
   * Upper clip range; `null` = `epsilon`. DAPO's clip-higher is 0.28: rare good tokens may grow faster. Under `lossType` cispo the cap
   * of the ratio itself, e.g. 5 (ScaleRL, arXiv 2510.13786).
   */
  readonly epsilonHigh: number | null;
  /** Upper bound of the ratio whatever the sign of the advantage; must exceed `1 + epsilonHigh`. `null` = none. */
  readonly delta: number | null;
  /**
   * Weight of the k3 penalty towards the initial policy. 0: no reference is held and `kl` is not reported. It is DeepSeekMath's; TRL weighs
   * it by the importance ratio as well unless `use_bias_correction_kl` is off.
   */
  readonly beta: number;

  // Parameters that stop a run that cannot work
  /** The run stops at step 1 when a larger share of replies is cut; from 0.1 on it warns. 0.5; 1 = never stop. */
  readonly maxClippedRatio: number;
  /** At step 1 sampler and trainer must agree on every log-probability within it. 1e-4 (32-bit arithmetic). */
  readonly logprobTolerance: number;
}

const defaults: GRPOConfig = {
  ...samplingDefaults,
  baseline: 'group',
  scaleRewards: 'group',
  zeroStdThreshold: 1e-3,
  softPunishCache: null,
  filterZeroStdGroups: false,
  maxResampleRounds: 6,
  maskTruncatedCompletions: false,
  channels: 'outcome',
  lambda: 0.5,
  processCredit: 0.5,
  lossType: 'dapo',
  importanceSamplingLevel: 'token',
  numIterations: 1,
  epsilon: 0.2,
  epsilonHigh: null,
  delta: null,
  beta: 0,
  maxClippedRatio: 0.5,
  logprobTolerance: 1e-4,
  // For models of a few million parameters; TRL's 1e-6 is for billions.
  learningRate: 5e-5,
  lrSchedulerType: 'constant',
  warmupSteps: 5,
  ...optimizerDefaults,
};

const advice = { ...samplingAdvice, numTrainEpochs: 'Use `maxSteps`.' };

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineGRPOConfig(given: Partial<GRPOConfig> = {}): Readonly<GRPOConfig> {
  const unions = ['scaleRewards', 'filterZeroStdGroups'];
  const config = resolveConfig('GRPOConfig', defaults, given, { unions, advice });
  requireRules('GRPOConfig', [
    ...samplingRules(config),
    integerRule('numIterations', config.numIterations, 1),
    integerRule('maxResampleRounds', config.maxResampleRounds, 1),
    ...baselineRules(config),
    [
      [true, false, 'resample'].includes(config.filterZeroStdGroups),
      `filterZeroStdGroups is ${String(config.filterZeroStdGroups)}, expected true, false or resample.`,
    ],
    [
      config.maxResampleRounds === defaults.maxResampleRounds || config.filterZeroStdGroups === 'resample',
      "maxResampleRounds is set, but filterZeroStdGroups is not 'resample', so nothing is ever resampled.",
    ],
    rangeRule('zeroStdThreshold', config.zeroStdThreshold, 0),
    punishmentRule(config),
    ...processRules(config),
    ...lossRules(config),
    rangeRule('beta', config.beta, 0),
    rangeRule('maxClippedRatio', config.maxClippedRatio, 0, 1),
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
    ...optimizerRules(config),
  ]);
  return config;
}

/** What each baseline's difference may be divided by. */
const scalesOf: Readonly<Record<Baseline, readonly ScaleRewards[]>> = {
  group: ['group', 'batch', 'none'],
  leave_one_out: ['none'],
  batch: ['batch', 'none'],
  none: ['none'],
};

/** Whether samples of one task are each other's baseline, so that equal rewards of a group leave nothing to learn. */
export function comparesWithinGroups({ baseline }: Pick<GRPOConfig, 'baseline'>): boolean {
  return baseline === 'group' || baseline === 'leave_one_out';
}

function baselineRules(config: GRPOConfig): Rule[] {
  const { baseline, scaleRewards, numGenerations, promptsPerStep } = config;
  const baselines = Object.keys(scalesOf);
  const scales = scalesOf[baseline] ?? [];
  const withinGroups = comparesWithinGroups(config);
  return [
    [baselines.includes(baseline), `baseline is ${baseline}, expected one of ${baselines.join(', ')}.`],
    [
      !withinGroups || numGenerations > 1,
      'numGenerations is 1, and a group of one has no baseline: its advantage is always 0. ' +
        'Take at least 2, or use REINFORCE with a batch baseline (the preset `reinforce`).',
    ],
    [
      baseline !== 'batch' || numGenerations * promptsPerStep > 1,
      "baseline 'batch' compares the samples of a step, but promptsPerStep and numGenerations make it only one. Take more of either.",
    ],
    [
      ['group', 'batch', 'none', true, false].includes(scaleRewards),
      `scaleRewards is ${String(scaleRewards)}, expected group, batch, none, true or false.`,
    ],
    [
      scales.includes(scaleOf(config)),
      `scaleRewards is ${String(scaleRewards)}, but baseline '${baseline}' does not look at that deviation. Set scaleRewards to ${scales.join(' or ')}.`,
    ],
    [
      withinGroups || config.filterZeroStdGroups === false,
      `filterZeroStdGroups leaves out groups of equal rewards, but with baseline '${baseline}' they teach too. Set it to false.`,
    ],
  ];
}

const channelNames: readonly RLVPChannels[] = ['outcome', 'scalar', 'token', 'hybrid'];

function processRules(config: GRPOConfig): Rule[] {
  const { channels, lambda, processCredit, baseline, lossType, filterZeroStdGroups } = config;
  const isRead = channels !== 'outcome';
  const ofChannels = `with channels '${channels}'`;
  return [
    [channelNames.includes(channels), `channels is ${channels}, expected one of ${channelNames.join(', ')}.`],
    rangeRule('lambda', lambda, 0),
    rangeRule('processCredit', processCredit, 0),
    [
      isRead || (lambda === defaults.lambda && processCredit === defaults.processCredit),
      "lambda or processCredit is set, but with channels 'outcome' nothing reads them. Take the preset `rlvp`, or leave them out.",
    ],
    [
      !isRead || (baseline === 'group' && scaleOf(config) === 'none'),
      `${ofChannels} outcomes are compared with the group's mean and divided by nothing. Set baseline to group and scaleRewards to none.`,
    ],
    [
      !isRead || lossType === 'dapo',
      `lossType is ${lossType}, but ${ofChannels} each channel is divided by its own number of tokens. Set lossType to dapo.`,
    ],
    [
      !isRead || filterZeroStdGroups === false,
      `filterZeroStdGroups leaves out groups of equal outcomes, but ${ofChannels} their process teaches too. Set it to false.`,
    ],
  ];
}

function punishmentRule({ softPunishCache, maxCompletionLength }: GRPOConfig): Rule {
  return [
    softPunishCache === null ||
      (Number.isInteger(softPunishCache) && softPunishCache > 0 && softPunishCache < maxCompletionLength),
    `softPunishCache is ${softPunishCache}, expected an integer from 1 to below maxCompletionLength = ${maxCompletionLength}; DAPO takes a fifth of it.`,
  ];
}

function lossRules(config: GRPOConfig): Rule[] {
  const { lossType, importanceSamplingLevel: level } = config;
  return [
    [lossTypes.includes(lossType), `lossType is ${lossType}, expected one of ${lossTypes.join(', ')}.`],
    [
      ['token', 'sequence'].includes(level),
      `importanceSamplingLevel is ${level}, expected token or sequence.`,
    ],
    ...(lossType === 'cispo' ? cispoRules(config) : clipRules(config)),
  ];
}

function clipRules({ epsilon, delta, ...config }: GRPOConfig): Rule[] {
  const epsilonHigh = config.epsilonHigh ?? epsilon;
  return [
    rangeRule('epsilon', epsilon, 0, 1),
    rangeRule('epsilonHigh', epsilonHigh, 0),
    [
      delta === null || delta > 1 + epsilonHigh,
      `delta is ${delta}; it must exceed 1 + epsilonHigh = ${1 + epsilonHigh}, or it would clip what epsilonHigh allows.`,
    ],
  ];
}

function cispoRules({ epsilon, epsilonHigh, delta, importanceSamplingLevel }: GRPOConfig): Rule[] {
  return [
    [
      epsilonHigh !== null && epsilonHigh >= 1,
      `epsilonHigh is ${epsilonHigh}, but under lossType cispo it is the cap of the ratio itself. Set it to 1 or more, e.g. 5.`,
    ],
    [epsilon === defaults.epsilon, 'epsilon is set, but lossType cispo has no lower clip. Leave it out.'],
    [delta === null, 'delta is set, but lossType cispo caps the ratio at epsilonHigh already. Leave it out.'],
    [
      importanceSamplingLevel === 'token',
      'lossType cispo caps the ratio of each token. Set importanceSamplingLevel to token, or take another lossType.',
    ],
  ];
}

/** `scaleRewards` without TRL's older boolean spelling. */
export function scaleOf({ scaleRewards }: Pick<GRPOConfig, 'scaleRewards'>): ScaleRewards {
  if (typeof scaleRewards === 'string') return scaleRewards;
  return scaleRewards ? 'group' : 'none';
}
