export {
  baselineAdvantages,
  batchAdvantages,
  combineRewards,
  type GroupAdvantages,
  groupAdvantages,
  leaveOneOutAdvantages,
  mean,
  type ScaleRewards,
  standardDeviation,
} from './advantages.js';
export { bradleyTerryLoss, type RewardPairs } from './bradley-terry.js';
export { cispoLoss } from './cispo.js';
export { type DistillationStreams, generalizedJSD, tokenEntropies } from './divergence.js';
export { type CriticAdvantages, type CriticSteps, gae, type GAEOptions, tokenGAE } from './gae.js';
export { type ImportanceSamplingMode, importanceWeights } from './importance-weights.js';
export { KL_LOG_RATIO_BOUND, KL_VALUE_BOUND, k3OfToken, type KLEstimator, klPenalty } from './kl.js';
export { klOfToken, type KLRewardOptions, klShapedRewards } from './kl-reward.js';
export { ktoLoss, type KTOLossOptions, ktoReferencePoint, type LabelledStreams } from './kto.js';
export {
  type DistillationLossSpec,
  lossOf,
  type LossSpec,
  type LossStreams,
  type PolicyLossSpec,
} from './loss.js';
export { countedTokens, keep, weightedSum } from './masked.js';
export { normalizeThenSum } from './multi-objective.js';
export { negativeLogLikelihood } from './negative-log-likelihood.js';
export { type ClipOptions, policyGradientLoss, type PolicyGradientStreams } from './policy-gradient.js';
export { dpoLoss, type DPOLossType, type DPOLossOptions, type PreferenceStreams } from './preference.js';
export { probabilityRatios, type RatioStreams } from './probability-ratio.js';
export { reverseKLAdvantages, type ReverseKLOptions } from './reverse-kl.js';
export {
  type ProcessEpisode,
  type ProcessTurn,
  rlvpAdvantages,
  type RLVPChannels,
  type RLVPOptions,
} from './rlvp.js';
export { scalarLossOf, type ScalarLossSpec, type ScalarStreams } from './scalar-loss.js';
export { sequenceRatioLoss } from './sequence-ratio.js';
export { atEachToken, sequenceMeans, type Sequences, sequenceSums } from './sequences.js';
export { lossTypes, type LossType, tokenWeights } from './token-weights.js';
export {
  discountedReturns,
  spreadOverTurns,
  type TokenSpan,
  turnAdvantages,
  type TurnAdvantageOptions,
} from './turn-advantages.js';
export { valueLoss, type ValueStreams } from './value-loss.js';
export { whiten } from './whiten.js';
