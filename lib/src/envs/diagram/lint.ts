/** What a careful reader would frown at. Lints are no errors: they tell a policy what to look at again. */
import { defaultRules, edgeName } from './canvas.js';
import { diagonal, gap, overlapArea, type Box } from './geometry.js';
import { isInside, readCanvas, type ReadShape } from './hierarchy.js';
import { arrowsCross, drawEdges, runsThrough, type DrawnEdge } from './routes.js';
import { labelFits } from './text-metrics.js';
import type { Canvas, LintCode, Problem, Rules, Shape } from './types.js';

/** Arrows longer than this many mean box diagonals are hard to follow. */
export const FAR_DIAGONALS: number = 2.5 / 0.6;

/** All unordered pairs, earlier item first. */
function* pairs<T>(items: readonly T[]): Generator<readonly [T, T]> {
  for (const [i, a] of items.entries()) {
    for (const b of items.slice(i + 1)) yield [a, b];
  }
}

/** Whether one of the two lies in the other and may: a shape in its group, a text in its box. */
function isNested(a: Shape, b: Shape): boolean {
  return isInside(a, b) || isInside(b, a);
}

/**
 * Whether nothing covers an arrow's label: no node (its own ends included), no free text, no label of another arrow.
 * A group may hold the label; its border is no obstacle.
 */
export function isLabelClear(
  drawn: DrawnEdge,
  edges: readonly DrawnEdge[],
  shapes: readonly ReadShape[],
): boolean {
  const { labelBox } = drawn;
  if (!labelBox) return true;
  const obstacles: (Box | null)[] = [
    ...shapes.filter(({ role }) => role === 'node' || role === 'annotation').map(({ shape }) => shape),
    ...edges.filter((other) => other !== drawn).map((other) => other.labelBox),
  ];
  return obstacles.every((obstacle) => obstacle === null || overlapArea(labelBox, obstacle) === 0);
}

/** A diamond asks a question: at least two arrows leave it, each with the answer it stands for. */
function hasLabelledExits(canvas: Canvas, id: string): boolean {
  const exits = canvas.edges.filter(({ from }) => from === id);
  return exits.length >= 2 && exits.every(({ label }) => label !== '');
}

/** Finds every lint of a canvas, grouped by code in the order of `LintCode`. */
export function lint(canvas: Canvas, rules: Rules = defaultRules): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (code: LintCode, ...subjects: string[]): void => {
    problems.push({ code, subjects });
  };
  const shapes = readCanvas(canvas);
  const edges = drawEdges(canvas);
  const nodes = shapes.filter(({ role }) => role === 'node').map(({ shape }) => shape);
  const boxes = canvas.shapes.filter(({ shape }) => shape !== 'text');

  for (const [a, b] of pairs(canvas.shapes)) {
    if (overlapArea(a, b) > 0 && !isNested(a, b)) report('W_OVERLAP', a.id, b.id);
  }
  for (const node of nodes) {
    if (!labelFits(node)) report('W_TEXT_FIT', node.id);
  }
  for (const edge of edges) {
    for (const node of nodes) {
      if (runsThrough(edge, node)) report('W_THROUGH', edgeName(edge.edge), node.id);
    }
  }
  for (const [a, b] of pairs(edges)) {
    if (arrowsCross(a, b)) report('W_CROSS', edgeName(a.edge), edgeName(b.edge));
  }
  for (const [a, b] of pairs(boxes)) {
    if (overlapArea(a, b) === 0 && gap(a, b) < rules.minGap) report('W_CLOSE', a.id, b.id);
  }
  for (const edge of edges) {
    if (!isLabelClear(edge, edges, shapes)) report('W_EDGE_LABEL', edgeName(edge.edge));
  }
  const meanDiagonal = nodes.reduce((sum, node) => sum + diagonal(node), 0) / nodes.length;
  for (const edge of edges) {
    if (edge.length > FAR_DIAGONALS * meanDiagonal) report('W_FAR', edgeName(edge.edge));
  }
  for (const node of nodes) {
    if (node.shape === 'diamond' && !hasLabelledExits(canvas, node.id)) report('W_DECISION_EXITS', node.id);
  }
  return problems;
}
