import type { LossType, RLVPChannels, RLVPOptions, ScaleRewards } from '../losses/index.js';
import { grpoRules } from './grpo-rules.js';
import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { requireRules, resolveConfig } from './resolve-config.js';
import { correctionDefaults, type SamplerCorrection } from './sampler-correction.js';
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
export interface GRPOConfig extends SamplingConfig, OptimizerConfig, RLVPOptions, SamplerCorrection {
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
  /**
   * What is compared within a group: whole `'episode'`s, so that all turns of one share its advantage, or each `'turn'`: what it led to,
   * its return, against that of the same turn in the group's other episodes (`turnAdvantages`; Zeng et al. 2025, arXiv 2505.11821). For
   * environments that pay for turns. A reward that belongs to no turn counts as the last one's. `'episode'`.
   */
  readonly advantageLevel: 'episode' | 'turn';
  /** γ of a turn's return: 0 credits a turn with its own reward alone, 1 with all that follow. 1. Read with `advantageLevel` `'turn'`. */
  readonly gamma: number;
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
  advantageLevel: 'episode',
  gamma: 1,
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
  ...correctionDefaults,
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
    ...grpoRules(config, defaults),
    ...optimizerRules(config),
  ]);
  return config;
}
