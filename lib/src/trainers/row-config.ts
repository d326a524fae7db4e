import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, rangeRule, type Rule } from './resolve-config.js';

/** Settings of every trainer that learns from a fixed set of rows, with TRL's names. */
export interface RowConfig extends OptimizerConfig {
  // Parameters that control the data
  /** Rows in one optimizer step. 32. How they are cut to fit in memory never changes a result. */
  readonly batchSize: number;
  /** Passes over the rows; may be fractional. 1. */
  readonly numTrainEpochs: number;
  /** Number of optimizer steps; overrides `numTrainEpochs`. `null` = by epochs. */
  readonly maxSteps: number | null;
  /** Longer rows are cut at the end, and counted in `truncated_rows`. 1024. */
  readonly maxLength: number;
  /** Visit rows in a new random order each epoch. true. */
  readonly shuffleDataset: boolean;
  /** Seed of that order. 42. */
  readonly seed: number;
}

export const rowDefaults: Omit<RowConfig, 'learningRate' | 'lrSchedulerType' | 'warmupSteps'> = {
  batchSize: 32,
  numTrainEpochs: 1,
  maxSteps: null,
  maxLength: 1024,
  shuffleDataset: true,
  seed: 42,
  ...optimizerDefaults,
};

export const rowAdvice: Readonly<Record<string, string>> = {
  perDeviceTrainBatchSize: 'Use `batchSize`: rows per optimizer step, whatever fits in memory.',
  gradientAccumulationSteps: 'Use `batchSize`; the engine cuts it into micro-batches by itself.',
};

export function rowRules(config: RowConfig): Rule[] {
  return [
    integerRule('batchSize', config.batchSize, 1),
    rangeRule('numTrainEpochs', config.numTrainEpochs, 0),
    integerRule('maxSteps', config.maxSteps ?? 0, 0),
    integerRule('maxLength', config.maxLength, 2),
    integerRule('seed', config.seed, 0),
    [
      config.maxSteps === null || config.numTrainEpochs === rowDefaults.numTrainEpochs,
      'maxSteps and numTrainEpochs both say how long to train; give one.',
    ],
    ...optimizerRules(config),
  ];
}
