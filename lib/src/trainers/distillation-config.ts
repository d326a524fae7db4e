import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { samplingAdvice, type SamplingConfig, samplingDefaults, samplingRules } from './sampling-config.js';

/** Settings of `distill`, with the names of TRL's and Tinker's on-policy distillation. `numGenerations`: 4, Tinker's; 1 is enough. */
export interface DistillationConfig extends SamplingConfig, OptimizerConfig {
  /** Weight of the teacher's opinion, above 0. 1. */
  readonly klPenaltyCoef: number;
  /** How much of what comes later a token answers for, in [0, 1]. 0: only for itself, which was enough on-policy. */
  readonly klDiscountFactor: number;
  /** At step 1 sampler and trainer must agree on every log-probability within it. 1e-4 (32-bit arithmetic). */
  readonly logprobTolerance: number;
}

const defaults: DistillationConfig = {
  ...samplingDefaults,
  numGenerations: 4,
  klPenaltyCoef: 1,
  klDiscountFactor: 0,
  logprobTolerance: 1e-4,
  // Tinker's; every token has a signal of its own, so steps may be larger than those of `grpo`.
  learningRate: 1e-4,
  lrSchedulerType: 'constant',
  warmupSteps: 5,
  ...optimizerDefaults,
};

const advice = {
  ...samplingAdvice,
  numTrainEpochs: 'Use `maxSteps`.',
  beta: 'The divergence is the reverse KL on sampled tokens. Use `gkd` for others, over the whole vocabulary.',
  lmbda: 'Every sample is the student’s own. Use `gkd` to learn from given texts as well.',
  seqKd: 'Every sample is the student’s own. For a teacher’s texts use `sft`, or `gkd` with `rows`.',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineDistillationConfig(
  given: Partial<DistillationConfig> = {},
): Readonly<DistillationConfig> {
  const config = resolveConfig('DistillationConfig', defaults, given, { advice });
  const { klPenaltyCoef } = config;
  requireRules('DistillationConfig', [
    ...samplingRules(config),
    [
      klPenaltyCoef > 0 && Number.isFinite(klPenaltyCoef),
      `klPenaltyCoef is ${klPenaltyCoef}, expected a number > 0; the teacher is the only thing to learn from.`,
    ],
    rangeRule('klDiscountFactor', config.klDiscountFactor, 0, 1),
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
    ...optimizerRules(config),
  ]);
  return config;
}
