import type { WeightedTokens } from '../engine/types.js';

/** Any token at all is trained. */
export function hasTrainedTokens(data: readonly WeightedTokens[]): boolean {
  return data.some(({ weights }) => weights.some((weight) => weight !== 0));
}
