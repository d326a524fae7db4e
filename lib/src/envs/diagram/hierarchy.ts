/**
 * How a reader sees the shapes of a canvas: which are nodes, which are groups around nodes, and which text is whose label.
 *
 * Nothing of this is stored: it follows from positions alone, so a policy expresses grouping by drawing it.
 */
import { area, contains } from './geometry.js';
import type { Canvas, Shape } from './types.js';

/** `label`: a text shape that names the shape around it. `annotation`: any other text shape. */
export type Role = 'node' | 'group' | 'label' | 'annotation';

export interface ReadShape {
  readonly shape: Shape;
  readonly role: Role;
  /** Own text, else the text shapes inside (joined by a space, in creation order), else `''`. */
  readonly label: string;
  /** Index in `canvas.shapes` of the smallest shape around this one; `null` at the top level. */
  readonly parent: number | null;
}

/**
 * Whether `inner` lies in `outer` as its label or member. Text may sit in a box of any kind; boxes count as inside only
 * in rectangles, because only a rectangle is a group.
 */
export function isInside(inner: Shape, outer: Shape): boolean {
  const canHold = outer.shape === 'rectangle' || (inner.shape === 'text' && outer.shape !== 'text');
  return canHold && contains(outer, inner);
}

/** Index of the smallest shape around `inner`. */
function parentOf(inner: Shape, shapes: readonly Shape[]): number | null {
  let parent: number | null = null;
  let smallest = Infinity;
  shapes.forEach((outer, index) => {
    if (area(outer) < smallest && isInside(inner, outer)) {
      parent = index;
      smallest = area(outer);
    }
  });
  return parent;
}

/** Reads every shape, in creation order (same indices as `canvas.shapes`). */
export function readCanvas(canvas: Canvas): readonly ReadShape[] {
  const { shapes } = canvas;
  const parents = shapes.map((shape) => parentOf(shape, shapes));
  const groups = new Set<number>();
  const texts = new Map<number, string[]>();
  shapes.forEach((shape, index) => {
    const parent = parents[index];
    if (parent === null || parent === undefined) return;
    if (shape.shape !== 'text') groups.add(parent);
    else if (shapes[parent]?.text === '') texts.set(parent, [...(texts.get(parent) ?? []), shape.text]);
  });

  return shapes.map((shape, index) => {
    const parent = parents[index] ?? null;
    const label = shape.text !== '' ? shape.text : (texts.get(index)?.join(' ') ?? '');
    if (shape.shape !== 'text') return { shape, role: groups.has(index) ? 'group' : 'node', label, parent };
    return { shape, role: parent !== null && texts.has(parent) ? 'label' : 'annotation', label, parent };
  });
}
