/**
 * Where arrows run. Derived from the shapes whenever it is needed; the policy never gives arrow coordinates.
 *
 * An arrow is straight, from centre to centre, clipped at both outlines. Several arrows between the same two shapes
 * run in parallel lanes; arrows from a shape to itself are loops around its top-right corner.
 */
import {
  borderPoint,
  boxAround,
  center,
  chord,
  passesThrough,
  pointAt,
  segmentLength,
  segmentsCross,
  type Box,
  type Point,
  type Segment,
} from './geometry.js';
import { textSize } from './text-metrics.js';
import type { Canvas, Edge, Shape } from './types.js';

/** Pixels between arrows that join the same two shapes. */
export const LANE_GAP = 12;
/** Pixels; the k-th loop on a shape has radius `LOOP_RADIUS + k · LOOP_STEP`, so labels of successive loops stay apart. */
export const LOOP_RADIUS = 20;
export const LOOP_STEP = 24;

export type Route =
  | { readonly kind: 'line'; readonly segment: Segment }
  | {
      readonly kind: 'loop';
      readonly start: Point;
      readonly end: Point;
      readonly middle: Point;
      readonly radius: number;
    };

export interface DrawnEdge {
  readonly edge: Edge;
  /** `null` when nothing of the arrow can be seen: its ends overlap or one lies inside the other. */
  readonly route: Route | null;
  /** The route as straight pieces (one for a line, several for a loop, none when hidden). */
  readonly segments: readonly Segment[];
  /** Visible length, pixels. */
  readonly length: number;
  /** Where the edge label is written; `null` without a label or a route. */
  readonly labelBox: Box | null;
}

interface Lane {
  /** Position among the arrows that join the same two shapes, and how many there are. */
  readonly index: number;
  readonly count: number;
  /** Runs against the first arrow of the bundle, which gives the bundle its direction. */
  readonly reversed: boolean;
}

/** Assigns a lane to every edge: edges between the same two shapes share a bundle, whatever their direction. */
function lanes(edges: readonly Edge[]): readonly Lane[] {
  const bundles = new Map<string, { from: string; size: number }>();
  const places = edges.map(({ from, to }) => {
    const key = from < to ? `${from}>${to}` : `${to}>${from}`;
    const bundle = bundles.get(key) ?? { from, size: 0 };
    bundles.set(key, bundle);
    return { bundle, index: bundle.size++, reversed: bundle.from !== from };
  });
  return places.map(({ bundle, index, reversed }) => ({ index, count: bundle.size, reversed }));
}

/** Half the width of the narrowest outline (a diamond) measured across any direction, as a share of its smaller side. */
const INRADIUS_SHARE = 0.33;

/** Pixels by which a lane is shifted sideways; narrower than `LANE_GAP` apart only when the shapes are too small for it. */
function laneOffset(lane: Lane, from: Shape, to: Shape): number {
  if (lane.count === 1) return 0;
  const reach = INRADIUS_SHARE * Math.min(from.width, from.height, to.width, to.height);
  const spacing = Math.min(LANE_GAP, (2 * reach) / (lane.count - 1));
  return (lane.index - (lane.count - 1) / 2) * spacing;
}

/** The straight arrow between two shapes with its label's centre, or `null` when it is hidden. */
function routeLine(from: Shape, to: Shape, lane: Lane, label: string): Omit<DrawnEdge, 'edge'> | null {
  const a = center(from);
  const b = center(to);
  const distance = Math.hypot(b.x - a.x, b.y - a.y);
  if (distance === 0) return null;

  // The bundle's direction turned by a right angle; the same for both arrows of an opposite pair.
  const sign = lane.reversed ? -1 : 1;
  const across = { x: (-sign * (b.y - a.y)) / distance, y: (sign * (b.x - a.x)) / distance };
  const offset = laneOffset(lane, from, to);
  const shift = { x: across.x * offset, y: across.y * offset };
  const line = {
    start: { x: a.x + shift.x, y: a.y + shift.y },
    end: { x: b.x + shift.x, y: b.y + shift.y },
  };
  const leave = chord(from, line)?.[1];
  const arrive = chord(to, line)?.[0];
  if (leave === undefined || arrive === undefined || leave >= arrive) return null;
  const segment = { start: pointAt(line, leave), end: pointAt(line, arrive) };

  const along = lane.count === 1 ? 0.5 : 0.35 + (0.3 * lane.index) / (lane.count - 1);
  const anchor = pointAt(segment, lane.reversed ? 1 - along : along);
  return {
    route: { kind: 'line', segment },
    segments: [segment],
    length: segmentLength(segment),
    labelBox: label === '' ? null : besideLane(anchor, across, offset, label),
  };
}

/** Pixels between a lane and the label beside it. */
const LABEL_CLEARANCE = 3;

/** A label sits on a single arrow; in a bundle it moves outward, just clear of its lane and so of all others. */
function besideLane(anchor: Point, across: Point, offset: number, label: string): Box {
  const { width, height } = textSize(label);
  const halfExtent = (Math.abs(across.x) * width + Math.abs(across.y) * height) / 2;
  const clear = Math.sign(offset) * (halfExtent + LABEL_CLEARANCE);
  return boxAround({ x: anchor.x + across.x * clear, y: anchor.y + across.y * clear }, width, height);
}

const LOOP_PIECES = 8;

/** The k-th loop of a shape: an arc from the top of its outline clockwise to the right of it, around the corner. */
function routeLoop(shape: Shape, k: number, label: string): Omit<DrawnEdge, 'edge'> | null {
  const reach = LOOP_RADIUS + k * LOOP_STEP;
  const corner = { x: shape.x + shape.width, y: shape.y };
  const start = borderPoint(shape, { x: Math.max(shape.x, corner.x - reach), y: corner.y });
  const end = borderPoint(shape, { x: corner.x, y: Math.min(shape.y + shape.height, corner.y + reach) });
  if (!start || !end) return null;

  const chordLength = Math.hypot(end.x - start.x, end.y - start.y);
  const radius = Math.max(reach, chordLength / 2);
  const rise = Math.sqrt(radius ** 2 - (chordLength / 2) ** 2) / chordLength;
  const middle = {
    x: (start.x + end.x) / 2 + (end.y - start.y) * rise,
    y: (start.y + end.y) / 2 - (end.x - start.x) * rise,
  };
  const first = Math.atan2(start.y - middle.y, start.x - middle.x);
  const last = Math.atan2(end.y - middle.y, end.x - middle.x);
  const sweep = (last - first + 2 * Math.PI) % (2 * Math.PI);
  const at = (i: number): Point => {
    const angle = first + (sweep * i) / LOOP_PIECES;
    return { x: middle.x + radius * Math.cos(angle), y: middle.y + radius * Math.sin(angle) };
  };
  return {
    route: { kind: 'loop', start, end, middle, radius },
    segments: Array.from({ length: LOOP_PIECES }, (_, i) => ({ start: at(i), end: at(i + 1) })),
    length: radius * sweep,
    labelBox: label === '' ? null : besideLoop(middle, radius, label),
  };
}

/** A loop's label starts outside the arc at one o'clock. */
function besideLoop(middle: Point, radius: number, label: string): Box {
  const { width, height } = textSize(label);
  return {
    x: middle.x + radius / 2 + 4,
    y: middle.y - (radius * Math.sqrt(3)) / 2 - height + 4,
    width,
    height,
  };
}

const HIDDEN = { route: null, segments: [], length: 0, labelBox: null };

/** Routes every edge of a canvas, in creation order (same indices as `canvas.edges`). */
export function drawEdges(canvas: Canvas): readonly DrawnEdge[] {
  const shapes = new Map(canvas.shapes.map((shape) => [shape.id, shape]));
  const loops = new Map<string, number>();
  const laneOf = lanes(canvas.edges);
  return canvas.edges.map((edge, index) => {
    const from = shapes.get(edge.from);
    const to = shapes.get(edge.to);
    const lane = laneOf[index];
    if (!from || !to || !lane) return { edge, ...HIDDEN };
    if (from !== to) return { edge, ...(routeLine(from, to, lane, edge.label) ?? HIDDEN) };
    const k = loops.get(edge.from) ?? 0;
    loops.set(edge.from, k + 1);
    return { edge, ...(routeLoop(from, k, edge.label) ?? HIDDEN) };
  });
}

/** Whether an arrow runs through a shape that is not one of its ends. */
export function runsThrough(drawn: DrawnEdge, shape: Shape): boolean {
  if (drawn.edge.from === shape.id || drawn.edge.to === shape.id) return false;
  return drawn.segments.some((segment) => passesThrough(segment, shape));
}

/** Whether two arrows cross. Arrows that share an end are never said to: they meet there anyway. */
export function arrowsCross(a: DrawnEdge, b: DrawnEdge): boolean {
  const ends = [a.edge.from, a.edge.to];
  if (ends.includes(b.edge.from) || ends.includes(b.edge.to)) return false;
  return a.segments.some((s) => b.segments.some((t) => segmentsCross(s, t)));
}
