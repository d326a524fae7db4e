export { bestEpisode, bestOfN, type BestOfN, type BestOfNOptions } from './best-of-n.js';
export {
  completionLength,
  isTruncated,
  longestReply,
  ranOutOfTokens,
  totalLength,
  turnsOf,
} from './lengths.js';
export { judgeEpisodes, rewardFromModel, type RewardFunction } from './reward-function.js';
export { rollout, type RolloutOptions } from './rollout.js';
export { Transcript } from './transcript.js';
export { withVetoes, type VetoOptions } from './veto.js';
export type { EpisodeGroup, EpisodeRecord, Trajectory, Turn, TurnResult } from './types.js';
