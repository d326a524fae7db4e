import { requireRules, resolveConfig } from './resolve-config.js';
import { rowAdvice, type RowConfig, rowDefaults, rowRules } from './row-config.js';

/** Settings of `sft`, with TRL's names. */
export interface SFTConfig extends RowConfig {
  /** Learn the completion only (true), or also to write prompts (false). Only for rows with a prompt. true. */
  readonly completionOnlyLoss: boolean;
}

const defaults: SFTConfig = {
  ...rowDefaults,
  completionOnlyLoss: true,
  // For models of a few million parameters trained from scratch or nearly so; large pretrained models want 2e-5.
  learningRate: 1e-3,
  lrSchedulerType: 'cosine',
  warmupSteps: 20,
};

const advice = { ...rowAdvice, packing: 'Pack language-modeling rows beforehand with `packTokens`.' };

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineSFTConfig(given: Partial<SFTConfig> = {}): Readonly<SFTConfig> {
  const config = resolveConfig('SFTConfig', defaults, given, { advice });
  requireRules('SFTConfig', rowRules(config));
  return config;
}
