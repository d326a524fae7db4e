import type { Datum } from '../engine/types.js';

/** Any token at all is trained. */
export function hasTrainedTokens(data: readonly Datum[]): boolean {
  return data.some(({ weights }) => weights.some((weight) => weight !== 0));
}
