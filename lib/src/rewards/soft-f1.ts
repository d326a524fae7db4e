/** The F-measure with partial credit: what is missing and what is too much cost the same. */
import { assign } from './assignment.js';

export interface SoftF1<W, P> {
  /** 2 Σ credit / (|wanted| + |produced|), in [0, 1]; 1 when both are empty. */
  readonly value: number;
  readonly missing: readonly W[];
  readonly extra: readonly P[];
  /** Pairs that earned less than full credit. */
  readonly imperfect: readonly (readonly [W, P])[];
}

/**
 * Pairs wanted with produced items that share a key, each at most once, for the largest sum of credits.
 *
 * @param credit Worth of a pair with equal keys, in (0, 1].
 */
export function softF1<W extends object, P extends object>(
  wanted: readonly W[],
  produced: readonly P[],
  wantedKey: (item: W) => string,
  producedKey: (item: P) => string,
  credit: (wanted: W, produced: P) => number,
): SoftF1<W, P> {
  const offers = groupBy(produced, producedKey);
  const unused = new Set(produced);
  const missing: W[] = [];
  const imperfect: (readonly [W, P])[] = [];
  let total = 0;
  for (const [key, askers] of groupBy(wanted, wantedKey)) {
    const offered = offers.get(key) ?? [];
    const credits = askers.map((asker) => offered.map((offer) => credit(asker, offer)));
    assign(credits).forEach((column, row) => {
      const asker = askers[row]!;
      if (column === -1) {
        missing.push(asker);
        return;
      }
      const offer = offered[column]!;
      const earned = credits[row]![column]!;
      unused.delete(offer);
      total += earned;
      if (earned < 1) imperfect.push([asker, offer]);
    });
  }
  const size = wanted.length + produced.length;
  return { value: size === 0 ? 1 : (2 * total) / size, missing, extra: [...unused], imperfect };
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
