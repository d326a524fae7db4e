import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, requireRules, resolveConfig } from './resolve-config.js';
import { samplingAdvice, type SamplingConfig, samplingDefaults, samplingRules } from './sampling-config.js';

/** Settings of `rft`. `maxSteps` counts rounds: sample, select, fine-tune. */
export interface RFTConfig extends SamplingConfig, OptimizerConfig {
  // Parameters that control the selection
  /** Keep samples whose reward is at least this. 1: the full marks of a verifier. `null` = no threshold, with `keepBest`. */
  readonly rewardThreshold: number | null;
  /** Of each task keep only the best sample (RAFT, arXiv 2304.06767); of equal ones the first. false. */
  readonly keepBest: boolean;

  // Parameters that control fine-tuning
  /** Kept samples in one optimizer step. 32. */
  readonly batchSize: number;
  /** Passes over what a round has kept. 1. */
  readonly numTrainEpochs: number;
}

const defaults: RFTConfig = {
  ...samplingDefaults,
  promptsPerStep: 64,
  maxSteps: 10,
  rewardThreshold: 1,
  keepBest: false,
  batchSize: 32,
  numTrainEpochs: 1,
  // The updates of `sft`, one round after another; lower than its rate, since the policy has learned before.
  learningRate: 1e-4,
  lrSchedulerType: 'constant',
  warmupSteps: 0,
  ...optimizerDefaults,
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineRFTConfig(given: Partial<RFTConfig> = {}): Readonly<RFTConfig> {
  const config = resolveConfig('RFTConfig', defaults, given, {
    unions: ['rewardThreshold'],
    advice: samplingAdvice,
  });
  const { rewardThreshold, keepBest, numGenerations } = config;
  requireRules('RFTConfig', [
    ...samplingRules(config),
    [
      rewardThreshold === null || Number.isFinite(rewardThreshold),
      `rewardThreshold is ${String(rewardThreshold)}, expected a finite number or null.`,
    ],
    [
      rewardThreshold !== null || keepBest,
      'rewardThreshold is null and keepBest false, so every sample would be kept and nothing learned. Set either.',
    ],
    [
      rewardThreshold !== null || numGenerations > 1,
      'numGenerations is 1, and the best of one is whatever came. Take at least 2, or set rewardThreshold.',
    ],
    integerRule('batchSize', config.batchSize, 1),
    [
      config.numTrainEpochs > 0 && Number.isFinite(config.numTrainEpochs),
      `numTrainEpochs is ${config.numTrainEpochs}, expected a number > 0.`,
    ],
    ...optimizerRules(config),
  ]);
  return config;
}
