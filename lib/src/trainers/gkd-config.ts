import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { samplingAdvice, type SamplingConfig, samplingDefaults, samplingRules } from './sampling-config.js';

/**
 * Settings of `gkd`, with TRL's names. `numGenerations`: 1, every token is judged without a group. `temperature`: 0.9, of sampling and of
 * both distributions (as in TRL's `DistillationTrainer`; its `GKDTrainer` compares at 1 whatever it samples at).
 */
export interface GKDConfig extends SamplingConfig, OptimizerConfig {
  /** Share of steps that learn from the student's own samples; the others learn from the given rows. 0.5. */
  readonly lmbda: number;
  /** Which divergence (`generalizedJSD`): 0 forward KL, covers the teacher; 1 reverse KL, picks of it; 0.5 Jensen–Shannon. 0.5. */
  readonly beta: number;
  /** At the first step on samples sampler and trainer must agree on every log-probability within it. 1e-4 (32-bit arithmetic). */
  readonly logprobTolerance: number;
}

const defaults: GKDConfig = {
  ...samplingDefaults,
  numGenerations: 1,
  temperature: 0.9,
  lmbda: 0.5,
  beta: 0.5,
  logprobTolerance: 1e-4,
  // As `distill`: every token has a signal of its own.
  learningRate: 1e-4,
  lrSchedulerType: 'constant',
  warmupSteps: 5,
  ...optimizerDefaults,
};

const advice = {
  ...samplingAdvice,
  numTrainEpochs: 'Use `maxSteps`.',
  maxNewTokens: 'Use `maxCompletionLength`.',
  seqKd: 'The teacher does not change: let it answer once, and give its answers as `rows` (lmbda 0).',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineGKDConfig(given: Partial<GKDConfig> = {}): Readonly<GKDConfig> {
  const config = resolveConfig('GKDConfig', defaults, given, { advice });
  requireRules('GKDConfig', [
    ...samplingRules(config),
    rangeRule('lmbda', config.lmbda, 0, 1),
    rangeRule('beta', config.beta, 0, 1),
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
    ...optimizerRules(config),
  ]);
  return config;
}
