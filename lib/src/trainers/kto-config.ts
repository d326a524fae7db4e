import { rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { rowAdvice, type RowConfig, rowDefaults, rowRules } from './row-config.js';

/** Settings of `kto`, with TRL's names. */
export interface KTOConfig extends RowConfig {
  /** How dear it is to leave the reference: large = stay close. Above 0; 0.1. */
  readonly beta: number;
  /**
   * λ_D, weight of good replies. 1. With n_D good and n_U bad replies the paper keeps `λ_D n_D / (λ_U n_U)` between 1 and 4/3: of 1
   * good for 10 bad ones, weigh the good ones 10 times.
   */
  readonly desirableWeight: number;
  /** λ_U, weight of bad replies. 1. */
  readonly undesirableWeight: number;
}

const defaults: KTOConfig = {
  ...rowDefaults,
  beta: 0.1,
  desirableWeight: 1,
  undesirableWeight: 1,
  // For models of a few million parameters; TRL's 1e-6 is for billions.
  learningRate: 5e-5,
  lrSchedulerType: 'cosine',
  warmupSteps: 5,
};

const advice = {
  ...rowAdvice,
  lossType: 'There is one loss: TRL’s `kto`.',
  precomputeRefLogProbs:
    'Mismatched pairs change with every batch, so the reference scores them step by step.',
  disableDropout: 'There is no dropout to disable.',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineKTOConfig(given: Partial<KTOConfig> = {}): Readonly<KTOConfig> {
  const config = resolveConfig('KTOConfig', defaults, given, { advice });
  const { batchSize, beta } = config;
  requireRules('KTOConfig', [
    [
      batchSize !== 1,
      'batchSize is 1, but KTO estimates the KL from prompts with the replies of *other* rows of the batch. Take at least 2.',
    ],
    ...rowRules(config),
    [
      beta > 0 && Number.isFinite(beta),
      `beta is ${beta}, expected a number > 0; 0 would ignore the reference.`,
    ],
    rangeRule('desirableWeight', config.desirableWeight, 0),
    rangeRule('undesirableWeight', config.undesirableWeight, 0),
    [
      config.desirableWeight > 0 || config.undesirableWeight > 0,
      'desirableWeight and undesirableWeight are both 0: nothing would be learned. Set at least one above 0.',
    ],
  ]);
  return config;
}
