import { readCanvas } from 'posttrain/envs/diagram/hierarchy';
import type { Canvas } from 'posttrain/envs/diagram/types';

/** What a canvas says without saying where: all that Mermaid can carry. Sorted, shapes by their labels. */
export function graphOf(canvas: Canvas): { readonly shapes: string[]; readonly arrows: string[] } {
  const read = readCanvas(canvas);
  const groupsAround = (index: number | null): string[] => {
    if (index === null) return [];
    const { role, label, parent } = read[index]!;
    return role === 'group' ? [label, ...groupsAround(parent)] : groupsAround(parent);
  };
  const nameOf = new Map(read.map(({ shape, label }) => [shape.id, label]));
  return {
    shapes: read
      .filter(({ role }) => role !== 'label')
      .map(({ shape, label, parent }) => JSON.stringify([shape.shape, label, ...groupsAround(parent)]))
      .sort(),
    arrows: canvas.edges
      .map(({ from, to, label }) => JSON.stringify([nameOf.get(from), nameOf.get(to), label]))
      .sort(),
  };
}
