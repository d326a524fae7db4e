import type { Point } from './line-chart.js';

/** Mean of the last `window` values at each point (fewer at the start): the trend of a noisy curve, never looking ahead. */
export function trailingMean(points: readonly Point[], window: number): Point[] {
  if (!Number.isInteger(window) || window < 1)
    throw new RangeError(`window must be a positive integer, got ${window}`);
  return points.map((point, i) => {
    const recent = points.slice(Math.max(0, i - window + 1), i + 1);
    return { x: point.x, y: recent.reduce((sum, p) => sum + p.y, 0) / recent.length };
  });
}
