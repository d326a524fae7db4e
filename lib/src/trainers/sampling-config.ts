import { integerRule, type Rule } from './resolve-config.js';

/** Settings of every trainer that learns from its own samples, with TRL's names where TRL has the setting. */
export interface SamplingConfig {
  // Parameters that control sampling
  /** Tasks in one step. 16. (In place of TRL's per-device × accumulation arithmetic; any number goes with any group size.) */
  readonly promptsPerStep: number;
  /** Samples of each task. 8. */
  readonly numGenerations: number;
  /** Longest reply in tokens; a reply that reaches it is cut and ends its episode. 512. */
  readonly maxCompletionLength: number;
  /** Replies an episode may take. 8. */
  readonly maxTurns: number;
  /** Temperature of sampling, and of every log-probability in the loss. 1. Lower explores less. */
  readonly temperature: number;
  /** Visit tasks in a new random order each epoch. true. */
  readonly shuffleDataset: boolean;
  /** Seed of task order and sampling. 42. */
  readonly seed: number;
  /** Steps of the run; each samples once. 100. */
  readonly maxSteps: number;
}

export const samplingDefaults: SamplingConfig = {
  promptsPerStep: 16,
  numGenerations: 8,
  maxCompletionLength: 512,
  maxTurns: 8,
  temperature: 1,
  shuffleDataset: true,
  seed: 42,
  maxSteps: 100,
};

const filtered =
  'Training samples must come from the whole distribution: a filter makes the sampler’s log-probabilities differ from the loss’s.';
const batchNoun = 'Use `promptsPerStep`: tasks per step, whatever fits in memory.';

export const samplingAdvice: Readonly<Record<string, string>> = {
  topP: filtered,
  topK: filtered,
  minP: filtered,
  repetitionPenalty: filtered,
  perDeviceTrainBatchSize: batchNoun,
  gradientAccumulationSteps: batchNoun,
  stepsPerGeneration: batchNoun,
};

export function samplingRules(config: SamplingConfig): Rule[] {
  return [
    integerRule('promptsPerStep', config.promptsPerStep, 1),
    integerRule('numGenerations', config.numGenerations, 1),
    integerRule('maxCompletionLength', config.maxCompletionLength, 1),
    integerRule('maxTurns', config.maxTurns, 1),
    integerRule('maxSteps', config.maxSteps, 0),
    integerRule('seed', config.seed, 0),
    [
      config.temperature > 0,
      `temperature is ${config.temperature}; a greedy policy does not explore, take a number > 0.`,
    ],
  ];
}
