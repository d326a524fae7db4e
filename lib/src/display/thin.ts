import type { Point } from './line-chart.js';

/**
 * At most about `most` of the points, such that the line looks the same: of each stretch its first, last, lowest and highest point
 * (M4; Jugel, Jerzak, Hackenbroich and Markl 2014). A gap stays a gap.
 */
export function thinned(points: readonly Point[], most: number): readonly Point[] {
  if (points.length <= most) return points;
  const stretch = Math.ceil((4 * points.length) / most);
  const kept: Point[] = [];
  for (let start = 0; start < points.length; start += stretch)
    kept.push(...extremes(points.slice(start, start + stretch)));
  return kept;
}

function extremes(points: readonly Point[]): readonly Point[] {
  const last = points.length - 1;
  const gap = points.findIndex(({ y }) => !Number.isFinite(y));
  const indexOf = (better: (a: number, b: number) => boolean): number =>
    points.reduce((best, { y }, i) => (better(y, points[best]!.y) ? i : best), 0);
  const indices = new Set([
    0,
    indexOf((a, b) => a < b),
    indexOf((a, b) => a > b),
    last,
    ...(gap === -1 ? [] : [gap]),
  ]);
  return [...indices].sort((a, b) => a - b).map((i) => points[i]!);
}
