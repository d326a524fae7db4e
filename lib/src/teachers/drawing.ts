/** From a wanted graph and a style to a finished canvas. */
import { contains, type Box } from '../envs/diagram/geometry.js';
import { lineWidth, textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, Direction, ExpectedGraph, Rules, Shape, ShapeKind } from '../envs/diagram/types.js';
import { foldedLayout } from './fold.js';
import { snapUp } from './grid.js';
import { wrapGroups, type LayoutGroup } from './groups.js';
import { layeredLayout, type LayoutGraph, type LayoutStyle } from './layout.js';
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

/** Whether a box lies on the canvas, the border included. */
export function fitsOn({ width, height }: Pick<Canvas, 'width' | 'height'>, box: Box): boolean {
  return contains({ x: 0, y: 0, width, height }, box, 0);
}

/** The canvas with these boxes; `null` when one of them sticks out of it. */
function canvasOf(graph: ExpectedGraph, rules: Rules, boxes: ReadonlyMap<string, Box>): Canvas | null {
  const { canvasWidth: width, canvasHeight: height } = rules;
  if (![...boxes.values()].every((box) => fitsOn({ width, height }, box))) return null;
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

/** Moves a drawing to where the style wants it, or as near as the canvas allows. */
function shift(boxes: ReadonlyMap<string, Box>, rules: Rules, style: DrawingStyle): Map<string, Box> {
  const all = [...boxes.values()];
  const offset = (
    starts: readonly number[],
    ends: readonly number[],
    wanted: number,
    limit: number,
  ): number => {
    const low = Math.min(...starts);
    const room = limit - (Math.max(...ends) - low);
    return (
      Math.max(0, Math.min(snapUp(wanted, rules.grid), Math.floor(room / rules.grid) * rules.grid)) - low
    );
  };
  const [lefts, tops] = [all.map(({ x }) => x), all.map(({ y }) => y)];
  const [rights, bottoms] = [all.map(({ x, width }) => x + width), all.map(({ y, height }) => y + height)];
  const dx = offset(lefts, rights, style.left, rules.canvasWidth);
  const dy = offset(tops, bottoms, style.top, rules.canvasHeight);
  return new Map([...boxes].map(([id, box]) => [id, { ...box, x: box.x + dx, y: box.y + dy }]));
}
