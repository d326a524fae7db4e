import type { DPOLossType } from '../losses/index.js';
import { rangeRule, requireRules, resolveConfig } from './resolve-config.js';
import { rowAdvice, type RowConfig, rowDefaults, rowRules } from './row-config.js';

/** Settings of `dpo`, with TRL's names. */
export interface DPOConfig extends RowConfig {
  /** How dear it is to leave the reference: large = stay close. Above 0; 0.1. */
  readonly beta: number;
  /** `'sigmoid'` (DPO), `'ipo'` or `'hinge'`: see `dpoLoss`. `'sigmoid'`. */
  readonly lossType: DPOLossType;
  /** Share of pairs believed to be labelled the wrong way round, in [0, 0.5) (conservative DPO). Only with `'sigmoid'`. 0. */
  readonly labelSmoothing: number;
}

const defaults: DPOConfig = {
  ...rowDefaults,
  beta: 0.1,
  lossType: 'sigmoid',
  labelSmoothing: 0,
  // For models of a few million parameters; TRL's 1e-6 is for billions.
  learningRate: 5e-5,
  lrSchedulerType: 'cosine',
  warmupSteps: 5,
};

const advice = {
  ...rowAdvice,
  precomputeRefLogProbs: 'The reference always scores each pair once, before the first step.',
  disableDropout: 'There is no dropout to disable.',
};

const lossTypes: readonly DPOLossType[] = ['sigmoid', 'ipo', 'hinge'];

/** Complete, checked and frozen settings. Throws ConfigError for unknown or contradictory keys. */
export function defineDPOConfig(given: Partial<DPOConfig> = {}): Readonly<DPOConfig> {
  const config = resolveConfig('DPOConfig', defaults, given, { advice });
  const { beta, lossType, labelSmoothing } = config;
  requireRules('DPOConfig', [
    ...rowRules(config),
    [
      beta > 0 && Number.isFinite(beta),
      `beta is ${beta}, expected a number > 0; 0 would ignore the reference.`,
    ],
    [lossTypes.includes(lossType), `lossType is ${lossType}, expected one of ${lossTypes.join(', ')}.`],
    rangeRule('labelSmoothing', labelSmoothing, 0),
    [
      labelSmoothing < 0.5,
      `labelSmoothing is ${labelSmoothing}; from 0.5 on the labels mean their opposite.`,
    ],
    [
      labelSmoothing === 0 || lossType === 'sigmoid',
      `labelSmoothing is set, but lossType ${lossType} does not read it. Take lossType sigmoid, or leave it out.`,
    ],
  ]);
  return config;
}
