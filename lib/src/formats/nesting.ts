/** Groups around shapes, as programs that store grouping want to know them. */
import { readCanvas, type ReadShape } from '../envs/diagram/hierarchy.js';
import type { Canvas } from '../envs/diagram/types.js';

export interface NestedShape extends ReadShape {
  /** Ids of the groups around the shape, innermost first. */
  readonly groups: readonly string[];
}

/** Every shape with the groups around it, in creation order. */
export function nestedShapes(canvas: Canvas): NestedShape[] {
  const read = readCanvas(canvas);
  const groupsAround = (shape: ReadShape): string[] => {
    const parent = shape.parent === null ? undefined : read[shape.parent];
    if (!parent) return [];
    return parent.role === 'group' ? [parent.shape.id, ...groupsAround(parent)] : groupsAround(parent);
  };
  return read.map((shape) => ({ ...shape, groups: groupsAround(shape) }));
}
