import type { Datum } from '../engine/types.js';
import { tokenMean } from './metrics.js';

/** Between which probability ratios a token keeps its gradient. */
export interface RatioBounds {
  readonly least: number;
  readonly most: number;
}

/** Share of trained tokens whose gradient an update clipped: below (A < 0), above (A > 0), either. `ratios` are `[T]` per datum. */
export function clippedShares(
  data: readonly Datum[],
  ratios: readonly ArrayLike<number>[],
  { least, most }: RatioBounds,
): { readonly low: number; readonly high: number; readonly region: number } {
  const weights = data.map((datum) => datum.weights);
  const ratio = (row: number, t: number): number => ratios[row]?.[t] as number;
  const advantage = (row: number, t: number): number => data[row]?.advantages?.[t] ?? 0;
  const isLow = (row: number, t: number): boolean => ratio(row, t) < least && advantage(row, t) < 0;
  const isHigh = (row: number, t: number): boolean => ratio(row, t) > most && advantage(row, t) > 0;
  const low = tokenMean(weights, (row, t) => (isLow(row, t) ? 1 : 0)) ?? 0;
  const high = tokenMean(weights, (row, t) => (isHigh(row, t) ? 1 : 0)) ?? 0;
  return { low, high, region: low + high };
}
