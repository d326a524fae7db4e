import { learningRateAt, type LearningRateSchedule } from '../engine/schedule.js';
import type { OptimName, OptimParams } from '../engine/types.js';
import type { AdjustLrFn } from '../tensor/index.js';
import { integerRule, rangeRule, type Rule } from './resolve-config.js';

/** Parameters that control the optimizer; the same for every trainer. */
export interface OptimizerConfig extends LearningRateSchedule {
  /** `adamw`, or `muon`: Muon (momentum 0.95) for the matrices inside the layers, AdamW for all other weights. `adamw`. */
  readonly optim: OptimName;
  /** How Muon's steps depend on a matrix's shape, `original` or `match_rms_adamw`, with which one learning rate fits both optimizers. `match_rms_adamw`. */
  readonly adjustLrFn: AdjustLrFn;
  /** Decay of the mean of gradients. 0.9. */
  readonly adamBeta1: number;
  /** Decay of the mean of squared gradients. 0.95 (Tinker, OpenRLHF; Hugging Face has 0.999): runs are short, so the past must fade sooner. */
  readonly adamBeta2: number;
  /** Keeps the division finite where gradients vanish. 1e-8. */
  readonly adamEpsilon: number;
  /** Decoupled weight decay of matrices (AdamW, arXiv 1711.05101). 0. */
  readonly weightDecay: number;
  /** Gradients with a larger global norm are scaled down to it. 1. */
  readonly maxGradNorm: number;
}

export const optimizerDefaults: Omit<OptimizerConfig, keyof LearningRateSchedule> = {
  optim: 'adamw',
  adjustLrFn: 'match_rms_adamw',
  adamBeta1: 0.9,
  adamBeta2: 0.95,
  adamEpsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};

export function optimizerRules(config: OptimizerConfig): Rule[] {
  const { lrSchedulerType, optim, adjustLrFn } = config;
  return [
    rangeRule('learningRate', config.learningRate, 0),
    [
      ['constant', 'cosine'].includes(lrSchedulerType),
      `lrSchedulerType is ${lrSchedulerType}, expected constant or cosine.`,
    ],
    integerRule('warmupSteps', config.warmupSteps, 0),
    [['adamw', 'muon'].includes(optim), `optim is ${optim}, expected adamw or muon.`],
    [
      ['original', 'match_rms_adamw'].includes(adjustLrFn),
      `adjustLrFn is ${adjustLrFn}, expected original or match_rms_adamw.`,
    ],
    [
      optim === 'muon' || adjustLrFn === optimizerDefaults.adjustLrFn,
      `adjustLrFn is ${adjustLrFn}, but only Muon adjusts its learning rate. Set optim to muon, or leave adjustLrFn out.`,
    ],
    [
      config.adamBeta1 >= 0 && config.adamBeta1 < 1,
      `adamBeta1 is ${config.adamBeta1}, expected 0 ≤ adamBeta1 < 1.`,
    ],
    [
      config.adamBeta2 >= 0 && config.adamBeta2 < 1,
      `adamBeta2 is ${config.adamBeta2}, expected 0 ≤ adamBeta2 < 1.`,
    ],
    [config.adamEpsilon > 0, `adamEpsilon is ${config.adamEpsilon}, expected a number > 0.`],
    rangeRule('weightDecay', config.weightDecay, 0),
    [config.maxGradNorm > 0, `maxGradNorm is ${config.maxGradNorm}, expected a number > 0.`],
  ];
}

/** What the engine needs for update `update` of `totalUpdates`. */
export function optimParamsAt(update: number, totalUpdates: number, config: OptimizerConfig): OptimParams {
  const { optim, adjustLrFn, adamBeta1, adamBeta2, adamEpsilon, weightDecay, maxGradNorm } = config;
  const learningRate = learningRateAt(update, totalUpdates, config);
  return {
    learningRate,
    optim,
    adjustLrFn,
    adamBeta1,
    adamBeta2,
    adamEpsilon,
    weightDecay,
    maxGradNorm,
  };
}
