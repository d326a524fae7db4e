/**
 * Plane geometry of boxes and outlines: containment, overlap, gaps, and where a line meets a shape.
 *
 * Every outline is the unit ball of a norm around the shape's centre: L∞ for rectangle and text, L2 for ellipse,
 * L1 for diamond. One chord computation therefore clips arrows and finds arrows that pass through shapes.
 */
import type { Shape } from './types.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Segment {
  readonly start: Point;
  readonly end: Point;
}

/** Pixels by which a box must clear the border of another on all sides to count as inside it. */
export const CONTAINMENT_MARGIN = 4;

export function center(box: Box): Point {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A box of this size around a centre. */
export function boxAround(middle: Point, width: number, height: number): Box {
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}

export function area(box: Box): number {
  return box.width * box.height;
}

export function diagonal(box: Box): number {
  return Math.hypot(box.width, box.height);
}

/** Whether `inner` lies inside `outer`, at least `margin` pixels from every side. */
export function contains(outer: Box, inner: Box, margin: number = CONTAINMENT_MARGIN): boolean {
  return (
    inner.x >= outer.x + margin &&
    inner.y >= outer.y + margin &&
    inner.x + inner.width <= outer.x + outer.width - margin &&
    inner.y + inner.height <= outer.y + outer.height - margin
  );
}

/** Common area of two boxes, square pixels; 0 when they only touch. */
export function overlapArea(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Shortest distance between two boxes, pixels; 0 when they touch or overlap. */
export function gap(a: Box, b: Box): number {
  const dx = Math.max(0, a.x - (b.x + b.width), b.x - (a.x + a.width));
  const dy = Math.max(0, a.y - (b.y + b.height), b.y - (a.y + a.height));
  return Math.hypot(dx, dy);
}

export function segmentLength(segment: Segment): number {
  return Math.hypot(segment.end.x - segment.start.x, segment.end.y - segment.start.y);
}

/** The point at a fraction of the way from start (0) to end (1). */
export function pointAt(segment: Segment, fraction: number): Point {
  const { start, end } = segment;
  return { x: start.x + (end.x - start.x) * fraction, y: start.y + (end.y - start.y) * fraction };
}

/** The part of a line `position + t · direction` where `|coordinate| < 1`. */
function slab(position: number, direction: number): readonly [number, number] {
  if (direction === 0) return Math.abs(position) < 1 ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const a = (-1 - position) / direction;
  const b = (1 - position) / direction;
  return a < b ? [a, b] : [b, a];
}

/**
 * Where the endless line through a segment runs inside a shape's outline: the interval `[t0, t1]` of
 * `start + t · (end − start)`, or `null` when it misses the shape (or the segment has no length).
 */
export function chord(
  shape: Box & Pick<Shape, 'shape'>,
  { start, end }: Segment,
): readonly [number, number] | null {
  const middle = center(shape);
  const px = (start.x - middle.x) / (shape.width / 2);
  const py = (start.y - middle.y) / (shape.height / 2);
  const dx = (end.x - start.x) / (shape.width / 2);
  const dy = (end.y - start.y) / (shape.height / 2);
  if (dx === 0 && dy === 0) return null;

  if (shape.shape === 'ellipse') {
    const a = dx * dx + dy * dy;
    const halfB = px * dx + py * dy;
    const discriminant = halfB * halfB - a * (px * px + py * py - 1);
    if (discriminant <= 0) return null;
    const root = Math.sqrt(discriminant);
    return [(-halfB - root) / a, (-halfB + root) / a];
  }
  // The L1 ball is the L∞ ball in coordinates turned by 45°.
  const turned = shape.shape === 'diamond';
  const [u0, u1] = turned ? slab(px + py, dx + dy) : slab(px, dx);
  const [v0, v1] = turned ? slab(px - py, dx - dy) : slab(py, dy);
  const t0 = Math.max(u0, v0);
  const t1 = Math.min(u1, v1);
  return t0 < t1 ? [t0, t1] : null;
}

/** Where the ray from a shape's centre towards a point leaves its outline; `null` when the point is the centre. */
export function borderPoint(shape: Box & Pick<Shape, 'shape'>, toward: Point): Point | null {
  const ray = { start: center(shape), end: toward };
  const inside = chord(shape, ray);
  return inside && pointAt(ray, inside[1]);
}

/** Pixels of an arrow that may graze a foreign outline before it counts as passing through. */
const GRAZE = 0.5;

/** Whether a segment runs through the inside of a shape; grazing the outline is not enough. */
export function passesThrough(segment: Segment, shape: Box & Pick<Shape, 'shape'>): boolean {
  const inside = chord(shape, segment);
  if (!inside) return false;
  const shared = Math.min(1, inside[1]) - Math.max(0, inside[0]);
  return shared * segmentLength(segment) > GRAZE;
}

/** Twice the signed area of a triangle: which side of `a → b` the point `c` is on. */
function side(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** Whether two segments cross at a point inside both; a shared end or a touch is not a crossing. */
export function segmentsCross(a: Segment, b: Segment): boolean {
  return (
    side(a.start, a.end, b.start) * side(a.start, a.end, b.end) < 0 &&
    side(b.start, b.end, a.start) * side(b.start, b.end, a.end) < 0
  );
}
