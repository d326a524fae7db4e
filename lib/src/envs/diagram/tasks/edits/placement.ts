/** Simple places for the boxes of a starting canvas, tidy enough that every arrow can be read. */
import { emptyCanvas } from '../../canvas.js';
import { lint } from '../../lint.js';
import { labelFits, lineWidth } from '../../text-metrics.js';
import type { Canvas, LintCode, Shape, ShapeKind } from '../../types.js';
import type { SceneEdge, SceneNode } from '../scene.js';
import { range } from '../skeletons/types.js';

/** Pixels. The grid on which boxes are placed leaves room for arrow labels between them. */
const COLUMN = 340;
const ROW = 200;
const LEFT = 80;
const TOP = 80;

/** Faults that a starting canvas must not have, unless they are put there to be repaired. */
const faults: readonly LintCode[] = [
  'W_OVERLAP',
  'W_TEXT_FIT',
  'W_THROUGH',
  'W_EDGE_LABEL',
  'W_CLOSE',
  'W_FAR',
];

export function isTidy(canvas: Canvas): boolean {
  return lint(canvas).every(({ code }) => !(faults as readonly string[]).includes(code));
}

/** Column and row of each of `count` boxes: in a row, in a zigzag, in two rows, on a ring. The last one always works. */
function patterns(count: number): readonly (readonly (readonly [number, number])[])[] {
  const half = Math.ceil(count / 2);
  return [
    range(0, count).map((i) => [i, 0]),
    range(0, count).map((i) => [0, i]),
    range(0, count).map((i) => [i, i % 2]),
    range(0, count).map((i) => (i < half ? [i, 0] : [i - half, 1.5])),
    range(0, count).map((i) => {
      const angle = (2 * Math.PI * i) / count;
      return [1.5 - 1.3 * Math.cos(angle), 1.5 - 1.5 * Math.sin(angle)];
    }),
  ];
}

/** A box of a size in which its label fits, on the 10 px grid. */
export function boxFor(
  id: string,
  label: string,
  kind: ShapeKind,
  [column, row]: readonly [number, number],
): Shape {
  const growth = kind === 'rectangle' ? 1 : kind === 'ellipse' ? 1.5 : 2;
  const height = 60 * growth;
  let width = Math.max(140, Math.min(220, Math.ceil((lineWidth(label) + 20) / 20) * 20)) * growth;
  while (!labelFits({ shape: kind, width, height, text: label })) width += 20;
  const snap = (value: number): number => Math.round(value / 10) * 10;
  return {
    id,
    shape: kind,
    x: snap(LEFT + column * COLUMN + (200 - width) / 2 + 40),
    y: snap(TOP + row * ROW + (60 - height) / 2 + 40),
    width: snap(width),
    height: snap(height),
    text: label,
  };
}

export function toCanvas(shapes: readonly Shape[], edges: readonly SceneEdge[]): Canvas {
  return {
    ...emptyCanvas(),
    shapes,
    edges: edges.map(({ from, to, label = '' }) => ({ from: `n${from + 1}`, to: `n${to + 1}`, label })),
  };
}

/**
 * Places nodes `n1…` so that every canvas that `views` makes of them is tidy: a policy that must keep boxes where they
 * are is not asked for the impossible. Nothing when no pattern will do.
 */
export function place(
  nodes: readonly SceneNode[],
  views: (shapes: readonly Shape[]) => readonly Canvas[],
): readonly Shape[] | undefined {
  return patterns(nodes.length)
    .map((pattern) =>
      nodes.map(({ label, shape = 'rectangle' }, i) => boxFor(`n${i + 1}`, label, shape, pattern[i]!)),
    )
    .find((shapes) => shapes.every(isOnCanvas) && views(shapes).every(isTidy));
}

/** A place for one more box, with its arrows, that leaves the canvas tidy. */
export function placeMore(
  shapes: readonly Shape[],
  { label, shape = 'rectangle' }: SceneNode,
  edges: readonly SceneEdge[],
): Shape | undefined {
  const steps = range(0, 8).map((step) => step / 2);
  return steps
    .flatMap((row) => steps.map((column) => boxFor(`n${shapes.length + 1}`, label, shape, [column, row])))
    .find((box) => isOnCanvas(box) && isTidy(toCanvas([...shapes, box], edges)));
}

function isOnCanvas({ x, y, width, height }: Shape): boolean {
  const canvas = emptyCanvas();
  return x >= 0 && y >= 0 && x + width <= canvas.width && y + height <= canvas.height;
}
