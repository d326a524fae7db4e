/** Which settings of `grpo` work, and which work together. */
import { lossTypes, type RLVPChannels, type ScaleRewards } from '../losses/index.js';
import type { Baseline, GRPOConfig } from './grpo-config.js';
import { integerRule, rangeRule, type Rule } from './resolve-config.js';
import { correctionRules } from './sampler-correction.js';

/** @param defaults what a setting is that was left out: one that nothing reads must be left out */
export function grpoRules(config: GRPOConfig, defaults: GRPOConfig): Rule[] {
  return [
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
    ...turnRules(config, defaults),
    ...processRules(config, defaults),
    ...lossRules(config, defaults),
    rangeRule('beta', config.beta, 0),
    ...correctionRules(config),
    rangeRule('maxClippedRatio', config.maxClippedRatio, 0, 1),
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
  ];
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

function turnRules(config: GRPOConfig, defaults: GRPOConfig): Rule[] {
  const { advantageLevel, gamma, baseline, scaleRewards, channels, filterZeroStdGroups } = config;
  const ofTurns = advantageLevel === 'turn';
  return [
    [
      ['episode', 'turn'].includes(advantageLevel),
      `advantageLevel is ${advantageLevel}, expected episode or turn.`,
    ],
    rangeRule('gamma', gamma, 0, 1),
    [
      ofTurns || gamma === defaults.gamma,
      "gamma is set, but with advantageLevel 'episode' nothing reads it. Set advantageLevel to turn, or leave it out.",
    ],
    [
      !ofTurns || (baseline === 'group' && scaleOf(config) !== 'batch'),
      `with advantageLevel 'turn' a turn is compared with the same turn of its group: baseline is ${baseline} and scaleRewards ${String(scaleRewards)}, expected baseline group and scaleRewards group or none.`,
    ],
    [
      !ofTurns || channels === 'outcome',
      `channels is ${channels}, which gives turns their advantages in another way. Set advantageLevel to episode, or channels to outcome.`,
    ],
    [
      !ofTurns || filterZeroStdGroups === false,
      "filterZeroStdGroups leaves out groups of equal outcomes, but with advantageLevel 'turn' their turns teach too. Set it to false.",
    ],
  ];
}

function processRules(config: GRPOConfig, defaults: GRPOConfig): Rule[] {
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

function lossRules(config: GRPOConfig, defaults: GRPOConfig): Rule[] {
  const { lossType, importanceSamplingLevel: level } = config;
  return [
    [lossTypes.includes(lossType), `lossType is ${lossType}, expected one of ${lossTypes.join(', ')}.`],
    [
      ['token', 'sequence'].includes(level),
      `importanceSamplingLevel is ${level}, expected token or sequence.`,
    ],
    ...(lossType === 'cispo' ? cispoRules(config, defaults) : clipRules(config)),
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

function cispoRules(
  { epsilon, epsilonHigh, delta, importanceSamplingLevel }: GRPOConfig,
  defaults: GRPOConfig,
): Rule[] {
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
