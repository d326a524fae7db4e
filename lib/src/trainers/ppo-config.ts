import type { KLEstimator } from '../losses/index.js';
import { type OptimizerConfig, optimizerDefaults, optimizerRules } from './optimizer-config.js';
import { integerRule, rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { samplingAdvice, type SamplingConfig, samplingDefaults, samplingRules } from './sampling-config.js';

/**
 * Settings of `ppo`, with TRL's names. `numGenerations`: 1, for the critic is the baseline; `promptsPerStep`: 128, as many episodes as
 * the groups of `grpo` hold. The optimizer's settings are those of policy and critic alike.
 */
export interface PPOConfig extends SamplingConfig, OptimizerConfig {
  // Parameters that control the rewards
  /** β, the price of one nat away from the reference. 0.05; 0: no reference is held, and `objective/kl` is not reported. */
  readonly klCoef: number;
  /** How a token's KL is estimated: `'k1'`, whose mean has the right gradient here, or `'k3'`, less noisy (see `klPenalty`). `'k1'`. */
  readonly klEstimator: Exclude<KLEstimator, 'k2'>;
  /** Taken from the score of an episode whose last reply was cut before its stop token. `null` = nothing. */
  readonly missingEosPenalty: number | null;
  /** Divide the rewards of the step by their deviation, for scores on an unknown scale. false. */
  readonly whitenRewards: boolean;

  // Parameters that control the advantages
  /** γ. 1: the end of a reply does not matter less for being far away. */
  readonly gamma: number;
  /** λ: 0 trusts the critic one token ahead, 1 only what really happened (see `gae`). 0.95. */
  readonly lam: number;
  /**
   * What follows an episode that was stopped between two turns (`max_turns`, `context_overflow`, `rollout_timeout`): what the critic expects
   * (true), or nothing (false), as if it had ended there. After a reply that ran out of tokens nothing follows in any case: it was judged as
   * it stood, and to expect more would reward not stopping. true; false where the score judges the whole, however it came to its end.
   */
  readonly bootstrapTruncated: boolean;

  // Parameters that control the losses
  /** Times every sample is learned from. 4. */
  readonly numPpoEpochs: number;
  /** Parts the samples are cut into, anew in each epoch; each makes one update. 1. */
  readonly numMiniBatches: number;
  /**
   * How far the policy may drift from the one that sampled: after an update that finds it further away, by `policy/approxkl_avg`, the step
   * takes no other. Clipping alone does not hold it back, for it stops gradients, not momentum. 0.02 is usual (CleanRL and
   * Stable-Baselines3 have it, TRL has not). `null` = all updates are taken.
   */
  readonly targetKl: number | null;
  /** Clip range of the probability ratio, below and above. 0.2. */
  readonly cliprange: number;
  /** How far a value may move in a step before its gradient stops (see `valueLoss`); `null` = as far as it likes. 0.2. */
  readonly cliprangeValue: number | null;
  /**
   * Weight of the critic's loss, above 0. 0.1. TRL has one optimizer for policy and critic; here each has its own, so that the weight
   * matters to `maxGradNorm` alone: a smaller one clips the critic's gradient less often.
   */
  readonly vfCoef: number;

  // Parameters that stop a run that cannot work
  /** At step 1 sampler and trainer must agree on every log-probability within it. 1e-4 (32-bit arithmetic). */
  readonly logprobTolerance: number;
}

const defaults: PPOConfig = {
  ...samplingDefaults,
  numGenerations: 1,
  promptsPerStep: 128,
  klCoef: 0.05,
  klEstimator: 'k1',
  missingEosPenalty: null,
  whitenRewards: false,
  gamma: 1,
  lam: 0.95,
  bootstrapTruncated: true,
  numPpoEpochs: 4,
  numMiniBatches: 1,
  targetKl: null,
  cliprange: 0.2,
  cliprangeValue: 0.2,
  vfCoef: 0.1,
  logprobTolerance: 1e-4,
  // For models of a few million parameters; TRL's 3e-6 is for billions.
  learningRate: 5e-5,
  lrSchedulerType: 'constant',
  warmupSteps: 5,
  ...optimizerDefaults,
};

const advice = {
  ...samplingAdvice,
  totalEpisodes: 'Use `maxSteps`, `promptsPerStep` and `numGenerations`.',
  numTrainEpochs: 'Use `maxSteps`.',
  responseLength: 'Use `maxCompletionLength`.',
  stopToken: 'A reply ends with the end token of the chat template.',
  rewardModelPath: 'Give the reward model as `rewardFunction` (see `rewardFromModel`).',
};

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function definePPOConfig(given: Partial<PPOConfig> = {}): Readonly<PPOConfig> {
  const config = resolveConfig('PPOConfig', defaults, given, { unions: ['cliprangeValue'], advice });
  const { klEstimator, missingEosPenalty, targetKl, cliprangeValue, vfCoef, numMiniBatches } = config;
  const episodes = config.promptsPerStep * config.numGenerations;
  requireRules('PPOConfig', [
    ...samplingRules(config),
    rangeRule('klCoef', config.klCoef, 0),
    [['k1', 'k3'].includes(klEstimator), `klEstimator is ${klEstimator}, expected k1 or k3.`],
    [
      missingEosPenalty === null || (missingEosPenalty > 0 && Number.isFinite(missingEosPenalty)),
      `missingEosPenalty is ${missingEosPenalty}, expected a number > 0, which is subtracted, or null.`,
    ],
    rangeRule('gamma', config.gamma, 0, 1),
    rangeRule('lam', config.lam, 0, 1),
    integerRule('numPpoEpochs', config.numPpoEpochs, 1),
    integerRule('numMiniBatches', numMiniBatches, 1),
    [
      numMiniBatches <= episodes,
      `numMiniBatches is ${numMiniBatches}, more than the ${episodes} episodes of a step (promptsPerStep × numGenerations).`,
    ],
    [
      targetKl === null || (targetKl > 0 && Number.isFinite(targetKl)),
      `targetKl is ${targetKl}, expected a number > 0, or null to take all updates of a step.`,
    ],
    rangeRule('cliprange', config.cliprange, 0, 1),
    [
      cliprangeValue === null || (typeof cliprangeValue === 'number' && cliprangeValue > 0),
      `cliprangeValue is ${String(cliprangeValue)}, expected a number > 0, or null for no clipping.`,
    ],
    [
      vfCoef > 0 && Number.isFinite(vfCoef),
      `vfCoef is ${vfCoef}, expected a number > 0; with 0 the critic would learn nothing.`,
    ],
    rangeRule('logprobTolerance', config.logprobTolerance, 0),
    ...optimizerRules(config),
  ]);
  return config;
}
