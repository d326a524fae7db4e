/**
 * Writes Mermaid flowcharts (`.mmd`), to be read in documents and compared line by line.
 *
 * Every label is quoted: unquoted brackets are the most frequent fault in diagrams written by language models
 * (open-webui#20019, marktext#4014).
 */
import { center } from '../envs/diagram/geometry.js';
import type { Canvas, Direction, Shape, ShapeKind } from '../envs/diagram/types.js';
import { quoteLabel } from './mermaid-labels.js';
import { nestedShapes, type NestedShape } from './nesting.js';

const BRACKETS: Readonly<Record<ShapeKind, readonly [string, string]>> = {
  rectangle: ['[', ']'],
  ellipse: ['([', '])'],
  diamond: ['{', '}'],
  text: ['[', ']:::annotation'],
};
const ANNOTATION_STYLE = '  classDef annotation fill:none,stroke:none';

/**
 * Writes a canvas as a Mermaid flowchart. Kept: kinds, labels, arrows and their order, and which shapes lie in which group.
 * Not kept: places and sizes, because Mermaid lays out by itself; ids that Mermaid reserves or that have a dash, which
 * become similar ones; a text shape that is a box's label, which becomes the label itself; and which group was drawn
 * first. An ellipse is a stadium. The direction is the one in which most arrows run.
 */
export function toMermaid(canvas: Canvas): string {
  const shapes = nestedShapes(canvas).filter(({ role }) => role !== 'label');
  const ids = mermaidIds(canvas.shapes);
  const isAnnotated = shapes.some(({ role }) => role === 'annotation');
  const arrows = canvas.edges.map(({ from, to, label }) => {
    const link = label === '' ? '-->' : `-->|${quoteLabel(label)}|`;
    return `  ${ids.get(from)} ${link} ${ids.get(to)}`;
  });
  return [
    `flowchart ${directionOf(canvas)}`,
    ...(isAnnotated ? [ANNOTATION_STYLE] : []),
    ...membersOf(undefined, shapes, ids, '  '),
    ...arrows,
    '',
  ].join('\n');
}

/** The shapes whose innermost group is this one (`undefined`: those in no group), each group with its own members. */
function membersOf(
  group: string | undefined,
  shapes: readonly NestedShape[],
  ids: ReadonlyMap<string, string>,
  indent: string,
): string[] {
  return shapes
    .filter(({ groups }) => groups[0] === group)
    .flatMap(({ shape, role, label }) => {
      const id = ids.get(shape.id)!;
      if (role !== 'group') {
        const [open, close] = BRACKETS[shape.shape];
        return [`${indent}${id}${open}${quoteLabel(label)}${close}`];
      }
      const members = membersOf(shape.id, shapes, ids, `${indent}  `);
      return [`${indent}subgraph ${id}[${quoteLabel(label)}]`, ...members, `${indent}end`];
    });
}

/** Words that Mermaid's grammar keeps for itself. */
const RESERVED =
  /^(?:end|graph|flowchart|subgraph|direction|style|linkStyle|classDef|class|click|href|call|default|interpolate|[ovx])$/i;

/** An id for every shape that Mermaid takes, as close to its own as can be. */
function mermaidIds(shapes: readonly Shape[]): Map<string, string> {
  const isTaken = (id: string): boolean => /-/.test(id) || RESERVED.test(id);
  const used = new Set(shapes.map(({ id }) => id).filter((id) => !isTaken(id)));
  return new Map(
    shapes.map(({ id }) => {
      if (!isTaken(id)) return [id, id];
      let similar = `${id.replaceAll('-', '_')}_`;
      while (used.has(similar)) similar += '_';
      used.add(similar);
      return [id, similar];
    }),
  );
}

function directionOf({ shapes, edges }: Canvas): Direction {
  const middles = new Map(shapes.map((shape) => [shape.id, center(shape)]));
  let right = 0;
  let down = 0;
  for (const { from, to } of edges) {
    const [start, end] = [middles.get(from)!, middles.get(to)!];
    right += end.x - start.x;
    down += end.y - start.y;
  }
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? 'LR' : 'RL';
  return down >= 0 ? 'TB' : 'BT';
}
