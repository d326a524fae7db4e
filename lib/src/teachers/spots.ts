import { gap, type Box, type Point } from '../envs/diagram/geometry.js';
import type { Canvas, Rules } from '../envs/diagram/types.js';
import { fitsOn } from './drawing.js';
import { snap, snapUp } from './grid.js';

/** Most places to return. */
const most = 60;
/** Distances from a neighbour, pixels. */
const distances = [40, 80, 120, 180];

/** Free places for a box, in line with or beside the boxes that are there, nearest to the anchor first; at most 60. */
export function spots(
  others: readonly Box[],
  size: Pick<Box, 'width' | 'height'>,
  anchor: Point,
  canvas: Pick<Canvas, 'width' | 'height'>,
  { grid, minGap }: Rules,
): Point[] {
  const { width, height } = size;
  const gaps = distances.map((distance) => snapUp(Math.max(distance, minGap), grid));
  const along = (start: number, length: number, own: number): number[] => [
    snap(start + (length - own) / 2, grid),
    ...gaps.flatMap((space) => [start + length + space, start - space - own]),
  ];
  const start = snapUp(distances[0]!, grid);
  const xs = new Set(others.length === 0 ? [start] : others.flatMap((box) => along(box.x, box.width, width)));
  const ys = new Set(
    others.length === 0 ? [start] : others.flatMap((box) => along(box.y, box.height, height)),
  );
  const away = ({ x, y }: Point): number => Math.hypot(x + width / 2 - anchor.x, y + height / 2 - anchor.y);
  const isFree = ({ x, y }: Point): boolean => {
    const box = { x, y, width, height };
    return fitsOn(canvas, box) && others.every((other) => gap(other, box) >= minGap);
  };
  return [...xs]
    .flatMap((x) => [...ys].map((y): Point => ({ x, y })))
    .filter(isFree)
    .sort((a, b) => away(a) - away(b))
    .slice(0, most);
}
