import { rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { rowAdvice, type RowConfig, rowDefaults, rowRules } from './row-config.js';

/** Settings of `reward`, with TRL's names. */
export interface RewardConfig extends RowConfig {
  /**
   * How strongly scores are held around 0 (`bradleyTerryLoss`), so that those of two reward models can be compared; 0.01 is usual.
   * `null` = not at all: only differences between scores are learned.
   */
  readonly centerRewardsCoefficient: number | null;
}

const defaults: RewardConfig = {
  ...rowDefaults,
  centerRewardsCoefficient: null,
  // For models of a few million parameters; TRL's 1e-4 is for billions.
  learningRate: 3e-4,
  lrSchedulerType: 'cosine',
  warmupSteps: 5,
};

const advice = { ...rowAdvice, disableDropout: 'There is no dropout to disable.' };

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineRewardConfig(given: Partial<RewardConfig> = {}): Readonly<RewardConfig> {
  const config = resolveConfig('RewardConfig', defaults, given, { advice });
  requireRules('RewardConfig', [
    ...rowRules(config),
    rangeRule('centerRewardsCoefficient', config.centerRewardsCoefficient ?? 0, 0),
  ]);
  return config;
}
