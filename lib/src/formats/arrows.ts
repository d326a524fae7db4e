/** How arrows are handed to programs that store what we derive: their points, and what they aim at. */
import { boxAround, center, type Box, type Point } from '../envs/diagram/geometry.js';
import { drawEdges, type Route } from '../envs/diagram/routes.js';
import { textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, Edge, Shape } from '../envs/diagram/types.js';

export interface Arrow {
  /** Not a shape's id: those have no colon. */
  readonly id: string;
  readonly edge: Edge;
  readonly from: Shape;
  readonly to: Shape;
  /** `null` when the arrow cannot be seen because its ends overlap. */
  readonly route: Route | null;
  /** From the border of `from` to the border of `to`; from centre to centre when the arrow cannot be seen. */
  readonly points: readonly Point[];
  /** Where the label is written; `null` without a label. */
  readonly labelBox: Box | null;
}

/** Every arrow of a canvas, in creation order. Throws when an arrow ends at a shape that does not exist. */
export function arrowsOf(canvas: Canvas): Arrow[] {
  const shapes = new Map(canvas.shapes.map((shape) => [shape.id, shape]));
  return drawEdges(canvas).map(({ edge, route, segments, labelBox }, index) => {
    const from = shapes.get(edge.from);
    const to = shapes.get(edge.to);
    if (!from || !to) {
      throw new Error(`arrow ${edge.from}>${edge.to} ends at a shape that does not exist; remove the arrow`);
    }
    const points =
      route === null
        ? unseenPoints(from, to)
        : [segments[0]!.start, ...segments.map(({ end }) => end)].map(toHundredths);
    const label = edge.label === '' ? null : (labelBox ?? labelAmid(points, edge.label));
    return { id: `edge:${index}`, edge, from, to, route, points, labelBox: label };
  });
}

/** Editors throw away arrows without a length, so there is always at least a pixel. */
function unseenPoints(from: Shape, to: Shape): Point[] {
  const start = center(from);
  const end = center(to);
  const coincide = start.x === end.x && start.y === end.y;
  return [start, coincide ? { x: end.x + 1, y: end.y } : end];
}

function labelAmid(points: readonly Point[], label: string): Box {
  const [start, end] = [points[0]!, points.at(-1)!];
  const { width, height } = textSize(label);
  return boxAround({ x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }, width, height);
}

function toHundredths({ x, y }: Point): Point {
  return { x: hundredths(x), y: hundredths(y) };
}

/** Two decimals, and no -0: equal drawings are equal bytes. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}

/**
 * What an arrow aims at inside a shape, as fractions of the shape's width and height: the middle, or for one of several
 * parallel arrows the point beside it that keeps them apart. A loop holds on to its own end points.
 */
export function aim(arrow: Arrow, end: 'from' | 'to'): Point {
  const shape = arrow[end];
  const [start, stop] = [arrow.points[0]!, arrow.points.at(-1)!];
  if (arrow.route?.kind === 'loop') return fractionsOf(shape, end === 'from' ? start : stop);
  const middle = center(shape);
  const along = { x: stop.x - start.x, y: stop.y - start.y };
  const t = ((middle.x - start.x) * along.x + (middle.y - start.y) * along.y) / (along.x ** 2 + along.y ** 2);
  return fractionsOf(shape, { x: start.x + t * along.x, y: start.y + t * along.y });
}

function fractionsOf(box: Box, { x, y }: Point): Point {
  const fraction = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 1000) / 1000));
  return { x: fraction((x - box.x) / box.width), y: fraction((y - box.y) / box.height) };
}

/** Which way a foreign arrow points: the ends swapped when only its start bears a head. */
export function pointed<T>(
  start: T,
  end: T,
  heads: { readonly start: boolean; readonly end: boolean },
): { readonly from: T; readonly to: T } {
  return heads.start && !heads.end ? { from: end, to: start } : { from: start, to: end };
}
