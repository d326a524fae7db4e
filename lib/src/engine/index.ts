export { decodeCheckpoint, encodeCheckpoint, type RunCheckpoint } from './checkpoint.js';
export { createWebEngine, type WebEngine, type WebEngineOptions } from './create-web.js';
export {
  type CustomLoss,
  type CustomLossResult,
  type CustomLossSequence,
  forwardBackwardCustom,
} from './custom-loss.js';
export { createLocalEngine, type EngineOptions } from './local.js';
export { planMicroBatches, type SequenceExtent } from './micro-batches.js';
export { createScalarEngine } from './scalar.js';
export type { ScalarDatum, ScalarEngine, ScalarForwardBackwardResult, ValueScorer } from './scalar-types.js';
export { learningRateAt, type LearningRateSchedule } from './schedule.js';
export { createTinkerEngine, type TinkerEngineOptions } from './tinker/engine.js';
export type {
  Datum,
  DistributionScorer,
  Engine,
  EngineState,
  ForwardBackwardResult,
  LogprobScorer,
  NamedArray,
  OptimName,
  OptimParams,
  OptimResult,
  WeightedTokens,
} from './types.js';
export { type Sampler, vllmSampler, type VLLMSamplerOptions, vllmScorer } from './vllm.js';
