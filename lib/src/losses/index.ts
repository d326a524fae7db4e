export {
  combineRewards,
  type GroupAdvantages,
  groupAdvantages,
  leaveOneOutAdvantages,
  mean,
  type ScaleRewards,
  standardDeviation,
} from './advantages.js';
export { KL_LOG_RATIO_BOUND, KL_VALUE_BOUND, k3OfToken, type KLEstimator, klPenalty } from './kl.js';
export { lossOf, type LossSpec, type LossStreams } from './loss.js';
export { countedTokens, keep, weightedSum } from './masked.js';
export { negativeLogLikelihood } from './negative-log-likelihood.js';
export { type ClipOptions, policyGradientLoss, type PolicyGradientStreams } from './policy-gradient.js';
export { lossTypes, type LossType, tokenWeights } from './token-weights.js';
