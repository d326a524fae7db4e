/** A canvas as the reward reads it: computed once, shared by all terms. */
import { drawEdges } from '../envs/diagram/routes.js';
import type { DrawnEdge } from '../envs/diagram/routes.js';
import { readCanvas } from '../envs/diagram/hierarchy.js';
import type { ReadShape } from '../envs/diagram/hierarchy.js';
import type { Canvas, Edge, Shape } from '../envs/diagram/types.js';
import { foldLabel } from './similarity.js';
import type { FoldedLabel } from './similarity.js';

/** A rectangle, ellipse or diamond. */
export interface Box {
  readonly shape: Shape;
  readonly label: string;
  readonly folded: FoldedLabel;
  /** A rectangle around other boxes; all others are leaves. */
  readonly isContainer: boolean;
  /** Id of the smallest container around it. */
  readonly parent: string | null;
  /** The text shapes that spell its label; none when the box has a text of its own. */
  readonly labelTexts: readonly Shape[];
}

export interface Drawing {
  /** Every shape with its role, in creation order. */
  readonly shapes: readonly ReadShape[];
  readonly boxes: readonly Box[];
  /** Text shapes that are nobody's label. */
  readonly looseTexts: readonly Shape[];
  readonly edges: readonly Edge[];
  /** Same order as `edges`. */
  readonly arrows: readonly DrawnEdge[];
}

export function readDrawing(canvas: Canvas): Drawing {
  const read = readCanvas(canvas);
  const boxes = read.flatMap(({ shape, role, label, parent }, index): Box[] => {
    if (role !== 'node' && role !== 'group') return [];
    const texts = read.filter((text) => text.role === 'label' && text.parent === index);
    return [
      {
        shape,
        label,
        folded: foldLabel(label),
        isContainer: role === 'group',
        parent: parent === null ? null : canvas.shapes[parent]!.id,
        labelTexts: texts.map((text) => text.shape),
      },
    ];
  });
  return {
    shapes: read,
    boxes,
    looseTexts: read.filter(({ role }) => role === 'annotation').map(({ shape }) => shape),
    edges: canvas.edges,
    arrows: drawEdges(canvas),
  };
}
