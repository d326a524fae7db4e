export type { GRPOCompletion, TokenRun, TokenRole } from './completions.js';
export { dataOrder } from './data-order.js';
export {
  distill,
  type DistillationOptions,
  type DistillationState,
  type DistillationStep,
} from './distill.js';
export { defineDistillationConfig, type DistillationConfig } from './distillation-config.js';
export { defineDPOConfig, type DPOConfig } from './dpo-config.js';
export { dpo, type DPOOptions, type DPOState, type DPOStep } from './dpo.js';
export { defineGKDConfig, type GKDConfig } from './gkd-config.js';
export { gkd, type GKDOptions, type GKDState, type GKDStep } from './gkd.js';
export type { MetricEntry } from './glossary-entry.js';
export { explainMetric, metricGlossary } from './glossary.js';
export { type Baseline, defineGRPOConfig, type GRPOConfig } from './grpo-config.js';
export { grpo, type GRPOOptions, type GRPOState, type GRPOStep, TruncatedCompletionsError } from './grpo.js';
export { defineKTOConfig, type KTOConfig } from './kto-config.js';
export { kto, type KTOOptions, type KTOState, type KTOStep, type UnpairedPreferenceRow } from './kto.js';
export type { Metrics } from './metrics.js';
export type { OptimizerConfig } from './optimizer-config.js';
export { definePPOConfig, type PPOConfig } from './ppo-config.js';
export { ppo, type PPOOptions, type PPOState, type PPOStep } from './ppo.js';
export type { PreferenceRow } from './preference-rows.js';
export * as grpoPresets from './presets.js';
export type { GRPOPreset } from './presets.js';
export { dumpBatch, NonFiniteError } from './refused-steps.js';
export { ConfigError } from './resolve-config.js';
export { defineRewardConfig, type RewardConfig } from './reward-config.js';
export { reward, type RewardOptions, type RewardState, type RewardStep } from './reward.js';
export { defineRFTConfig, type RFTConfig } from './rft-config.js';
export { rft, type RFTOptions, type RFTState, type RFTStep } from './rft.js';
export type { RowConfig } from './row-config.js';
export type { RowState, RowStep } from './row-steps.js';
export { LogprobMismatchError, StaleSampleError } from './sampled-batch.js';
export type { SamplerCorrection } from './sampler-correction.js';
export type { SampledOptions, SampledStep } from './sampled-steps.js';
export type { SamplingState } from './sampling.js';
export type { SamplingConfig } from './sampling-config.js';
export { defineSFTConfig, type SFTConfig } from './sft-config.js';
export {
  NoTrainableTokensError,
  packTokens,
  type PromptCompletionRow,
  type SFTRow,
  type TokensRow,
} from './sft-rows.js';
export { sft, type SFTOptions, type SFTState, type SFTStep } from './sft.js';
