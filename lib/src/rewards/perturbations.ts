/**
 * Systematic changes of a right drawing, by name: where reward and verifier should agree, case by case. Letter case is not
 * among them, because there they differ on purpose: the reward reads labels as people do, the verifier to the letter.
 */
import { MIN_SIZE } from '../envs/diagram/canvas.js';
import { boxAround, center } from '../envs/diagram/geometry.js';
import { labelLines, textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, DiagramTask, Edge, Shape } from '../envs/diagram/types.js';

/** Every way in which the change can be made to the canvas; none where it makes no sense. */
export type Perturbation = (canvas: Canvas, task: DiagramTask) => Canvas[];

const without = <T>(items: readonly T[], index: number): T[] => items.filter((_, i) => i !== index);
const replaced = <T>(items: readonly T[], index: number, item: T): T[] =>
  items.map((old, i) => (i === index ? item : old));
const withShape = (canvas: Canvas, index: number, shape: Shape): Canvas => ({
  ...canvas,
  shapes: replaced(canvas.shapes, index, shape),
});

/** One fault at a time, wherever it can be made: none may be left a success. */
export const faults: Readonly<Record<string, Perturbation>> = {
  'a lost arrow': (canvas) => canvas.edges.map((_, i) => ({ ...canvas, edges: without(canvas.edges, i) })),
  'a reversed arrow': (canvas, { graph }) =>
    canvas.edges.flatMap((edge, i) => {
      const back: Edge = { ...edge, from: edge.to, to: edge.from };
      return graph.undirected || edge.from === edge.to
        ? []
        : { ...canvas, edges: replaced(canvas.edges, i, back) };
    }),
  'an arrow too many': (canvas) => {
    const ids = canvas.shapes.map(({ id }) => id);
    const known = new Set(canvas.edges.flatMap(({ from, to }) => [`${from}>${to}`, `${to}>${from}`]));
    return ids
      .flatMap((from) => ids.map((to) => ({ from, to, label: '' })))
      .filter(({ from, to }) => from < to && !known.has(`${from}>${to}`))
      .slice(0, 3)
      .map((edge) => ({ ...canvas, edges: [...canvas.edges, edge] }));
  },
  'a wrong label': (canvas) =>
    canvas.shapes.map((shape, i) => withShape(canvas, i, { ...shape, text: 'Zq' })),
  'arrow labels left out': (canvas) =>
    canvas.edges.flatMap((edge, i) =>
      edge.label === '' ? [] : { ...canvas, edges: replaced(canvas.edges, i, { ...edge, label: '' }) },
    ),
  'two boxes pushed together': (canvas, { graph }) => {
    if (graph.overlaps || graph.groups.length > 0) return [];
    const [first, ...others] = canvas.shapes;
    const beside: Shape = { ...first!, x: first!.x + 10, y: first!.y + 10 };
    return others.map(({ id, text, shape, width, height }, i) =>
      withShape(canvas, i + 1, { ...beside, id, text, shape, width, height }),
    );
  },
};

/** Pixels by which a box is nudged: hardly, onto its neighbour's margin, and well across it. */
const nudges = [10, 40, 150];

/** Changes that spoil some drawings and leave others right: only whether both judges see the same is known. */
export const variations: Readonly<Record<string, Perturbation>> = {
  'a box nudged': (canvas) =>
    canvas.shapes.flatMap((shape, i) =>
      nudges
        .flatMap((step) => [
          { ...shape, x: shape.x + step },
          { ...shape, x: shape.x - step },
          { ...shape, y: shape.y + step },
          { ...shape, y: shape.y - step },
        ])
        .filter((moved) => isOn(canvas, moved))
        .map((moved) => withShape(canvas, i, moved)),
    ),
  'a box made smaller': (canvas) =>
    canvas.shapes.flatMap((shape, i) =>
      [
        { ...shape, width: shape.width - 20 },
        { ...shape, height: shape.height - 20 },
      ]
        .filter(({ width, height }) => Math.min(width, height) >= MIN_SIZE)
        .map((smaller) => withShape(canvas, i, smaller)),
    ),
  'all shifted by 5 px': (canvas) => {
    const shapes = canvas.shapes.map((shape) => ({ ...shape, x: shape.x + 5, y: shape.y + 5 }));
    return shapes.every((shape) => isOn(canvas, shape)) ? [{ ...canvas, shapes }] : [];
  },
  'boxes in another order': (canvas) => [{ ...canvas, shapes: [...canvas.shapes].reverse() }],
  'arrows in another order': (canvas) => [{ ...canvas, edges: [...canvas.edges].reverse() }],
  'other ids': (canvas, { initial }) => {
    if (initial) return [];
    const rename = (id: string): string => `x-${id}`;
    return [
      {
        ...canvas,
        shapes: canvas.shapes.map((shape) => ({ ...shape, id: rename(shape.id) })),
        edges: canvas.edges.map((edge) => ({ ...edge, from: rename(edge.from), to: rename(edge.to) })),
      },
    ];
  },
  'labels as texts of their own': (canvas, { graph, initial }) => {
    if (initial || graph.groups.length > 0) return [];
    const boxes = canvas.shapes.map((shape) => ({ ...shape, text: '' }));
    const texts = canvas.shapes.map((shape): Shape => {
      const text = labelLines(shape).join('\n');
      const { width, height } = textSize(text);
      const { x, y } = boxAround(center(shape), width, height);
      return {
        id: `${shape.id}-label`,
        shape: 'text',
        x: Math.round(x),
        y: Math.round(y),
        width,
        height,
        text,
      };
    });
    return [{ ...canvas, shapes: [...boxes, ...texts] }];
  },
};

function isOn(canvas: Canvas, { x, y, width, height }: Shape): boolean {
  return x >= 0 && y >= 0 && x + width <= canvas.width && y + height <= canvas.height;
}
