import type { WeightedTokens } from '../engine/types.js';
import { type EpisodeRecord, isTruncated } from '../rollout/index.js';

/** Any token at all is trained. */
export function hasTrainedTokens(data: readonly WeightedTokens[]): boolean {
  return data.some(({ weights }) => weights.some((weight) => weight !== 0));
}

/** Whether an episode was cut and teaches nothing for it. */
export function isMasked(
  episode: EpisodeRecord,
  { maskTruncatedCompletions }: { readonly maskTruncatedCompletions: boolean },
): boolean {
  return maskTruncatedCompletions && isTruncated(episode);
}
