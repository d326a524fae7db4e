/** From a wanted graph and a style to a finished canvas. */
import type { Box } from '../envs/diagram/geometry.js';
import { lineWidth, textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, Direction, ExpectedGraph, Rules, Shape, ShapeKind } from '../envs/diagram/types.js';
import {
  layeredLayout,
  snapUp,
  wrapGroups,
  type LayoutGraph,
  type LayoutGroup,
  type LayoutStyle,
} from './layout.js';
import { foldedLayout } from './fold.js';
import { boxSizes, type SizeStyle } from './sizes.js';
import { placeOverlaps } from './venn.js';

/** Every choice that separates one good drawing of a graph from another. */
export interface DrawingStyle extends Omit<LayoutStyle, 'grid'>, SizeStyle {
  /** Boxes a line before the drawing turns round; 0: layers along the direction, never folded. */
  readonly columns: number;
  /** Where the top left corner of the drawing goes, pixels; moved towards 0 when the drawing is too large. */
  readonly left: number;
  readonly top: number;
}

/** Free pixels around a box with loops: the loop, and the text beside it. */
const loopRoom = 60;

/** Ids for a new drawing: `n1…` for nodes and `g1…` for groups, in the order of the graph. */
export function drawingIds(graph: ExpectedGraph): Map<string, string> {
  return new Map([
    ...graph.nodes.map(({ id }, index): [string, string] => [id, `n${index + 1}`]),
    ...graph.groups.map(({ id }, index): [string, string] => [id, `g${index + 1}`]),
  ]);
}

/** Draws a graph in a style; `null` when the drawing is larger than the canvas. */
export function drawGraph(graph: ExpectedGraph, rules: Rules, style: DrawingStyle): Canvas | null {
  const { grid } = rules;
  const kinds = graph.nodes.map(({ label, shape = 'rectangle' }) => ({ label, shape }));
  const sizes = boxSizes(kinds, style, grid);
  const loops = new Set(graph.edges.filter(({ from, to }) => from === to).map(({ from }) => from));
  const nodes = graph.nodes.map(({ id }, index) => ({ id, ...sizes[index]! }));
  const overlapping = placeOverlaps(nodes, graph.overlaps ?? [], grid);
  const layout: LayoutGraph = {
    nodes: overlapping.nodes.map((node) =>
      loops.has(node.id) ? { ...node, room: snapUp(loopRoom, grid) } : node,
    ),
    edges: graph.edges.map(({ from, to }) => ({
      from: overlapping.nameOf(from),
      to: overlapping.nameOf(to),
    })),
    groups: layoutGroups(graph).map((group) => ({
      ...group,
      members: [...new Set(group.members.map(overlapping.nameOf))],
    })),
  };
  const spacing = { ...style, ...roomForLabels(graph, style), grid };
  const boxes = overlapping.expand(
    style.columns > 0 ? foldedLayout(layout, style.columns, spacing) : layeredLayout(layout, spacing),
  );
  const placed = new Map(graph.nodes.map(({ id }) => [id, boxes.get(id)!]));
  return canvasOf(graph, rules, shift(wrapGroups(placed, layoutGroups(graph), grid), rules, style));
}

/** The graph's groups with the room their titles need. */
export function layoutGroups(graph: ExpectedGraph): LayoutGroup[] {
  return graph.groups.map(({ id, label, members }) => ({ id, members, titleWidth: lineWidth(label) + 20 }));
}

/** The canvas with these boxes; `null` when one of them sticks out of it. */
export function canvasOf(graph: ExpectedGraph, rules: Rules, boxes: ReadonlyMap<string, Box>): Canvas | null {
  const { canvasWidth: width, canvasHeight: height } = rules;
  const inside = ({ x, y, width: w, height: h }: Box): boolean =>
    x >= 0 && y >= 0 && x + w <= width && y + h <= height;
  if (![...boxes.values()].every(inside)) return null;
  const ids = drawingIds(graph);
  const shape = (id: string, text: string, kind: ShapeKind = 'rectangle'): Shape => ({
    id: ids.get(id)!,
    shape: kind,
    ...boxes.get(id)!,
    text,
  });
  return {
    width,
    height,
    shapes: [
      ...outermostFirst(graph).map(({ id, label }) => shape(id, label)),
      ...graph.nodes.map((node) => shape(node.id, node.label, node.shape)),
    ],
    edges: graph.edges.map(({ from, to, label = '' }) => ({ from: ids.get(from)!, to: ids.get(to)!, label })),
  };
}

/** A frame must be drawn before what it holds, or it would cover it. */
function outermostFirst({ groups }: ExpectedGraph): ExpectedGraph['groups'] {
  const depth = (id: string): number => {
    const parent = groups.find(({ members }) => members.includes(id));
    return parent === undefined ? 0 : 1 + depth(parent.id);
  };
  return [...groups].sort((a, b) => depth(a.id) - depth(b.id));
}

/** Wide enough gaps that edge labels lie clear of boxes and of each other. */
function roomForLabels(
  { edges }: ExpectedGraph,
  style: DrawingStyle,
): Pick<LayoutStyle, 'rankGap' | 'nodeGap'> {
  const labels = edges.filter(({ from, to }) => from !== to).map(({ label = '' }) => label);
  const width = Math.max(0, ...labels.map((label) => (label === '' ? 0 : textSize(label).width)));
  if (width === 0) return style;
  const pairs = new Set(edges.map(({ from, to }) => `${from}>${to}`));
  const twoWay = edges.some(({ from, to }) => from !== to && pairs.has(`${to}>${from}`));
  const horizontal: Direction[] = ['LR', 'RL'];
  return horizontal.includes(style.direction)
    ? { rankGap: Math.max(style.rankGap, (twoWay ? 1.5 : 1) * width + 40), nodeGap: style.nodeGap }
    : { rankGap: Math.max(style.rankGap, 80), nodeGap: Math.max(style.nodeGap, width) };
}

function shift(boxes: ReadonlyMap<string, Box>, rules: Rules, style: DrawingStyle): Map<string, Box> {
  const all = [...boxes.values()];
  const axis = (start: number[], end: number[], wanted: number, limit: number): number => {
    const [low, high] = [Math.min(...start), Math.max(...end)];
    const room = Math.floor((limit - (high - low)) / rules.grid) * rules.grid;
    return Math.max(0, Math.min(snapUp(wanted, rules.grid), room)) - low;
  };
  const dx = axis(
    all.map(({ x }) => x),
    all.map(({ x, width }) => x + width),
    style.left,
    rules.canvasWidth,
  );
  const dy = axis(
    all.map(({ y }) => y),
    all.map(({ y, height }) => y + height),
    style.top,
    rules.canvasHeight,
  );
  return new Map([...boxes].map(([id, box]) => [id, { ...box, x: box.x + dx, y: box.y + dy }]));
}
