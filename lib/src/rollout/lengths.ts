import type { EpisodeRecord, Turn } from './types.js';

/** Tokens the policy sampled in an episode. */
export function completionLength({ trajectories }: EpisodeRecord): number {
  return trajectories.reduce((sum, { actionMask }) => sum + actionMask.reduce((on, bit) => on + bit, 0), 0);
}

/** The policy's replies in order, whichever training sequence they are in. */
export function turnsOf({ trajectories }: EpisodeRecord): Turn[] {
  return trajectories.flatMap(({ turns }) => turns);
}

/** Tokens of the longest single reply of an episode; 0 when nothing could be sampled. */
export function longestReply(episode: EpisodeRecord): number {
  return turnsOf(episode).reduce((longest, { start, end }) => Math.max(longest, end - start), 0);
}

/** Tokens of an episode, read and sampled. */
export function totalLength({ trajectories }: EpisodeRecord): number {
  return trajectories.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

/** The episode ended because there was no room for more tokens. */
export function ranOutOfTokens({ stopReason }: EpisodeRecord): boolean {
  return stopReason === 'max_tokens' || stopReason === 'context_overflow';
}

/** The episode was stopped from outside, before the environment was done with it. */
export function isTruncated({ stopReason }: EpisodeRecord): boolean {
  return stopReason !== 'completed' && stopReason !== 'parse_error';
}
