import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, rangeRule, requireRules, resolveConfig } from './resolve-config.js';

/** Settings of `sft`, with TRL's names. */
export interface SFTConfig extends OptimizerConfig {
  // Parameters that control the data
  /** Rows in one optimizer step. 32. How they are cut to fit in memory never changes a result. */
  readonly batchSize: number;
  /** Passes over the rows; may be fractional. 1. */
  readonly numTrainEpochs: number;
  /** Number of optimizer steps; overrides `numTrainEpochs`. `null` = by epochs. */
  readonly maxSteps: number | null;
  /** Longer rows are cut at the end, and counted in `truncated_rows`. 1024. */
  readonly maxLength: number;
  /** Learn the completion only (true), or also to write prompts (false). Only for rows with a prompt. true. */
  readonly completionOnlyLoss: boolean;
  /** Visit rows in a new random order each epoch. true. */
  readonly shuffleDataset: boolean;
  /** Seed of that order. 42. */
  readonly seed: number;
}

const defaults: SFTConfig = {
  batchSize: 32,
  numTrainEpochs: 1,
  maxSteps: null,
  maxLength: 1024,
  completionOnlyLoss: true,
  shuffleDataset: true,
  seed: 42,
  // For models of a few million parameters trained from scratch or nearly so; large pretrained models want 2e-5.
  learningRate: 1e-3,
  lrSchedulerType: 'cosine',
  warmupSteps: 20,
  ...optimizerDefaults,
};

const advice = {
  perDeviceTrainBatchSize: 'Use `batchSize`: rows per optimizer step, whatever fits in memory.',
  gradientAccumulationSteps: 'Use `batchSize`; the engine cuts it into micro-batches by itself.',
  packing: 'Pack language-modeling rows beforehand with `packTokens`.',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineSFTConfig(given: Partial<SFTConfig> = {}): Readonly<SFTConfig> {
  const config = resolveConfig('SFTConfig', defaults, given, { advice });
  requireRules('SFTConfig', [
    integerRule('batchSize', config.batchSize, 1),
    rangeRule('numTrainEpochs', config.numTrainEpochs, 0),
    integerRule('maxSteps', config.maxSteps ?? 0, 0),
    integerRule('maxLength', config.maxLength, 2),
    integerRule('seed', config.seed, 0),
    [
      config.maxSteps === null || config.numTrainEpochs === defaults.numTrainEpochs,
      'maxSteps and numTrainEpochs both say how long to train; give one.',
    ],
    ...optimizerRules(config),
  ]);
  return config;
}
