import { type LossType, lossTypes, type ScaleRewards } from '../losses/index.js';
import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, rangeRule, requireRules, resolveConfig } from './resolve-config.js';

/** Settings of `grpo`, with TRL's names where TRL has the setting. */
export interface GRPOConfig extends OptimizerConfig {
  // Parameters that control sampling
  /** Tasks in one step. 16. (In place of TRL's per-device × accumulation arithmetic; any number goes with any group size.) */
  readonly promptsPerStep: number;
  /** Samples of each task; their mean is the baseline, so at least 2. More make the baseline less noisy. 8. */
  readonly numGenerations: number;
  /** Longest reply in tokens; a reply that reaches it is cut and ends its episode. 512. */
  readonly maxCompletionLength: number;
  /** Replies an episode may take. 8. */
  readonly maxTurns: number;
  /** Temperature of sampling, and of every log-probability in the loss. 1. Lower explores less. */
  readonly temperature: number;
  /** Visit tasks in a new random order each epoch. true. */
  readonly shuffleDataset: boolean;
  /** Seed of task order and sampling. 42. */
  readonly seed: number;
  /** Steps of the run: one sampling round and `numIterations` optimizer updates each. 100. */
  readonly maxSteps: number;

  // Parameters that control the advantages
  /**
   * What centred rewards are divided by. `'group'` (or true): the group's standard deviation (DeepSeekMath, arXiv 2402.03300); `'batch'`:
   * the batch's; `'none'` (or false): nothing (Dr. GRPO, arXiv 2503.20783), which keeps easy and hard tasks from weighing more. `'group'`.
   */
  readonly scaleRewards: ScaleRewards | boolean;
  /** A group whose reward deviation is below it has advantages 0. 1e-3; 0 to match TRL. Lower it when rewards are on a tiny scale. */
  readonly zeroStdThreshold: number;
  /**
   * Groups without signal: `false` keeps them (they dilute the loss, and pull towards the reference when beta > 0); `true` leaves them
   * out; `'resample'` draws further tasks until `promptsPerStep` groups carry signal (DAPO's dynamic sampling, arXiv 2503.14476). false.
   */
  readonly filterZeroStdGroups: boolean | 'resample';
  /** Sampling rounds of one step under `'resample'`; when none brought signal the step is skipped. 6. */
  readonly maxResampleRounds: number;
  /** Replies that were cut teach nothing, and leave the denominator too (DAPO, overlong filtering). false. */
  readonly maskTruncatedCompletions: boolean;

  // Parameters that control the loss
  /** How token losses are averaged: see `tokenWeights`. `'dapo'`: every token of the step weighs the same. */
  readonly lossType: LossType;
  /** Optimizer updates on the same samples (μ of the paper). 1. With more, clipping begins to matter. */
  readonly numIterations: number;
  /** Lower clip range of the probability ratio (PPO, arXiv 1707.06347). 0.2. */
  readonly epsilon: number;
  /** Upper clip range; `null` = `epsilon`. DAPO's clip-higher is 0.28: rare good tokens may grow faster. */
  readonly epsilonHigh: number | null;
  /** Upper bound of the ratio whatever the sign of the advantage; must exceed `1 + epsilonHigh`. `null` = none. */
  readonly delta: number | null;
  /** Weight of the k3 penalty towards the initial policy. 0: no reference is held and `kl` is not reported. */
  readonly beta: number;

  // Parameters that stop a run that cannot work
  /** The run stops at step 1 when a larger share of replies is cut; from 0.1 on it warns. 0.5; 1 = never stop. */
  readonly maxClippedRatio: number;
  /** At step 1 sampler and trainer must agree on every log-probability within it. 1e-4 (32-bit arithmetic). */
  readonly logprobTolerance: number;
}

const defaults: GRPOConfig = {
  promptsPerStep: 16,
  numGenerations: 8,
  maxCompletionLength: 512,
  maxTurns: 8,
  temperature: 1,
  shuffleDataset: true,
  seed: 42,
  maxSteps: 100,
  scaleRewards: 'group',
  zeroStdThreshold: 1e-3,
  filterZeroStdGroups: false,
  maxResampleRounds: 6,
  maskTruncatedCompletions: false,
  lossType: 'dapo',
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

const filtered =
  'Training samples must come from the whole distribution: a filter makes the sampler’s log-probabilities differ from the loss’s.';
const batchNoun = 'Use `promptsPerStep`: tasks per step, whatever fits in memory.';
const advice = {
  topP: filtered,
  topK: filtered,
  minP: filtered,
  repetitionPenalty: filtered,
  perDeviceTrainBatchSize: batchNoun,
  gradientAccumulationSteps: batchNoun,
  stepsPerGeneration: batchNoun,
  numTrainEpochs: 'Use `maxSteps`.',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineGRPOConfig(given: Partial<GRPOConfig> = {}): Readonly<GRPOConfig> {
  const unions = ['scaleRewards', 'filterZeroStdGroups'];
  const config = resolveConfig('GRPOConfig', defaults, given, { unions, advice });
  const { epsilon, delta } = config;
  const epsilonHigh = config.epsilonHigh ?? epsilon;
  requireRules('GRPOConfig', [
    [
      config.numGenerations !== 1,
      'numGenerations is 1, and a group of one has no baseline: its advantage is always 0. ' +
        'Take at least 2, or use REINFORCE with a batch baseline (groups of one, baseline over the batch).',
    ],
    integerRule('numGenerations', config.numGenerations, 2),
    integerRule('promptsPerStep', config.promptsPerStep, 1),
    integerRule('maxCompletionLength', config.maxCompletionLength, 1),
    integerRule('maxTurns', config.maxTurns, 1),
    integerRule('maxSteps', config.maxSteps, 0),
    integerRule('numIterations', config.numIterations, 1),
    integerRule('maxResampleRounds', config.maxResampleRounds, 1),
    integerRule('seed', config.seed, 0),
    [
      config.temperature > 0,
      `temperature is ${config.temperature}; a greedy policy does not explore, take a number > 0.`,
    ],
    [
      ['group', 'batch', 'none', true, false].includes(config.scaleRewards),
      `scaleRewards is ${String(config.scaleRewards)}, expected group, batch, none, true or false.`,
    ],
    [
      [true, false, 'resample'].includes(config.filterZeroStdGroups),
      `filterZeroStdGroups is ${String(config.filterZeroStdGroups)}, expected true, false or resample.`,
    ],
    [
      config.maxResampleRounds === defaults.maxResampleRounds || config.filterZeroStdGroups === 'resample',
      "maxResampleRounds is set, but filterZeroStdGroups is not 'resample', so nothing is ever resampled.",
    ],
    [
      lossTypes.includes(config.lossType),
      `lossType is ${config.lossType}, expected one of ${lossTypes.join(', ')}.`,
    ],
    rangeRule('epsilon', epsilon, 0, 1),
    rangeRule('epsilonHigh', epsilonHigh, 0),
    [
      delta === null || delta > 1 + epsilonHigh,
      `delta is ${delta}; it must exceed 1 + epsilonHigh = ${1 + epsilonHigh}, or it would clip what epsilonHigh allows.`,
    ],
    rangeRule('beta', config.beta, 0),
    rangeRule('zeroStdThreshold', config.zeroStdThreshold, 0),
    rangeRule('maxClippedRatio', config.maxClippedRatio, 0, 1),
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
    ...optimizerRules(config),
  ]);
  return config;
}

/** `scaleRewards` without TRL's older boolean spelling. */
export function scaleOf({ scaleRewards }: Pick<GRPOConfig, 'scaleRewards'>): ScaleRewards {
  if (typeof scaleRewards === 'string') return scaleRewards;
  return scaleRewards ? 'group' : 'none';
}
