/** Strict legibility, checked by other means than the reward's: outlines as inequalities, arrows sampled point by point. */
import { defaultRules } from '../envs/diagram/canvas.js';
import type { Segment } from '../envs/diagram/geometry.js';
import { drawEdges } from '../envs/diagram/routes.js';
import type { DrawnEdge } from '../envs/diagram/routes.js';
import { innerArea, LINE_HEIGHT, lineWidth, wrapLabel } from '../envs/diagram/text-metrics.js';
import type { Canvas, DiagramTask, Direction, ExpectedGraph, Shape } from '../envs/diagram/types.js';

/** Wanted id → shape, for every wanted node and group. */
export type Identification = ReadonlyMap<string, Shape>;

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Whether `inner` stays at least `margin` pixels inside `outer`. */
export function isWithin(inner: Rect, outer: Rect, margin: number): boolean {
  const clearances = [
    inner.x - outer.x,
    inner.y - outer.y,
    outer.x + outer.width - inner.x - inner.width,
    outer.y + outer.height - inner.y - inner.height,
  ];
  return Math.min(...clearances) >= margin;
}

/** Everything that keeps a reader from seeing the graph that `shapeOf` found. */
export function geometryFaults(task: DiagramTask, canvas: Canvas, shapeOf: Identification): string[] {
  const groups = task.graph.groups.map(({ id }) => shapeOf.get(id)!);
  const leaves = task.graph.nodes.map(({ id }) => shapeOf.get(id)!);
  const drawn = drawEdges(canvas);
  return [
    ...outside(canvas),
    ...overlaps(task.graph, canvas, shapeOf, groups),
    ...tightLabels(canvas, leaves),
    ...piercingArrows(drawn, leaves),
    ...coveredLabels(canvas, drawn, leaves),
    ...longArrows(drawn, leaves),
    ...wrongWay(task.graph, shapeOf),
    ...brokenRules(task, canvas, shapeOf),
  ];
}

function outside(canvas: Canvas): string[] {
  const frame = { x: 0, y: 0, width: canvas.width, height: canvas.height };
  return canvas.shapes
    .filter((shape) => !isWithin(shape, frame, 0))
    .map(({ id }) => `${id} leaves the canvas`);
}

/** Pixels that two rectangles share along one axis; negative when apart. */
function shared(a: number, aSize: number, b: number, bSize: number): number {
  return Math.min(a + aSize, b + bSize) - Math.max(a, b);
}

function sharedArea(a: Rect, b: Rect): number {
  return Math.max(0, shared(a.x, a.width, b.x, b.width)) * Math.max(0, shared(a.y, a.height, b.y, b.height));
}

function isVenn(graph: ExpectedGraph, shapeOf: Identification, a: Shape, b: Shape): boolean {
  return (graph.overlaps ?? []).some(([first, second]) => {
    const pair = [shapeOf.get(first), shapeOf.get(second)];
    return pair.includes(a) && pair.includes(b);
  });
}

function overlaps(
  graph: ExpectedGraph,
  canvas: Canvas,
  shapeOf: Identification,
  groups: readonly Shape[],
): string[] {
  const holds = (outer: Shape, inner: Shape): boolean =>
    isWithin(inner, outer, 4) && (groups.includes(outer) || inner.shape === 'text');
  const faults: string[] = [];
  canvas.shapes.forEach((a, i) => {
    for (const b of canvas.shapes.slice(i + 1)) {
      const common = sharedArea(a, b);
      if (isVenn(graph, shapeOf, a, b)) {
        const cover = common / Math.min(a.width * a.height, b.width * b.height);
        if (cover < 0.05 || cover > 0.7) faults.push(`${a.id} and ${b.id} should overlap in part`);
      } else if (common > 0 && !holds(a, b) && !holds(b, a)) {
        faults.push(`${a.id} and ${b.id} overlap`);
      }
    }
  });
  return faults;
}

function tightLabels(canvas: Canvas, leaves: readonly Shape[]): string[] {
  return leaves
    .filter((leaf) => {
      const inner = innerArea(leaf.shape, leaf.width, leaf.height);
      if (leaf.text === '') {
        const room = {
          x: leaf.x + (leaf.width - inner.width) / 2,
          y: leaf.y + (leaf.height - inner.height) / 2,
          ...inner,
        };
        return canvas.shapes.some(
          (text) => text.shape === 'text' && isWithin(text, leaf, 4) && !isWithin(text, room, 0),
        );
      }
      const lines = wrapLabel(leaf.text, inner.width);
      return lines.length * LINE_HEIGHT > inner.height || lines.some((line) => lineWidth(line) > inner.width);
    })
    .map(({ id }) => `the label of ${id} does not fit`);
}

/** Pixels between the points at which an arrow is looked at, and how many of them may fall into a foreign shape. */
const sampling = { step: 0.25, tolerated: 3 };

function coversPoint({ shape, x, y, width, height }: Shape, px: number, py: number): boolean {
  const u = Math.abs((2 * (px - x)) / width - 1);
  const v = Math.abs((2 * (py - y)) / height - 1);
  if (shape === 'ellipse') return u * u + v * v < 1;
  return shape === 'diamond' ? u + v < 1 : Math.max(u, v) < 1;
}

/** Pixels of the arrow inside the shape, counted in samples. */
function samplesInside(shape: Shape, { start, end }: Segment): number {
  const reach = { x: Math.min(start.x, end.x), y: Math.min(start.y, end.y) };
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const isNear =
    shared(reach.x, Math.abs(dx), shape.x, shape.width) >= 0 &&
    shared(reach.y, Math.abs(dy), shape.y, shape.height) >= 0;
  if (!isNear) return 0;
  const pieces = Math.ceil(Math.hypot(dx, dy) / sampling.step);
  let inside = 0;
  for (let i = 0; i <= pieces; i++) {
    if (coversPoint(shape, start.x + (i / pieces) * dx, start.y + (i / pieces) * dy)) inside++;
  }
  return inside;
}

function piercingArrows(drawn: readonly DrawnEdge[], leaves: readonly Shape[]): string[] {
  return drawn.flatMap(({ edge, segments }) => {
    const name = `${edge.from}>${edge.to}`;
    if (segments.length === 0) return [`${name} cannot be seen`];
    return leaves
      .filter(({ id }) => id !== edge.from && id !== edge.to)
      .filter((leaf) => {
        const inside = segments.reduce((sum, segment) => sum + samplesInside(leaf, segment), 0);
        return inside > sampling.tolerated;
      })
      .map((leaf) => `${name} runs through ${leaf.id}`);
  });
}

function coveredLabels(canvas: Canvas, drawn: readonly DrawnEdge[], leaves: readonly Shape[]): string[] {
  const notes = canvas.shapes.filter(
    (text) => text.shape === 'text' && !leaves.some((leaf) => isWithin(text, leaf, 4)),
  );
  return drawn
    .filter(({ edge, labelBox }) => {
      if (!labelBox) return false;
      const others = drawn.flatMap((other) => (other.edge === edge ? [] : (other.labelBox ?? [])));
      return [...leaves, ...notes, ...others].some((obstacle) => sharedArea(labelBox, obstacle) > 0);
    })
    .map(({ edge }) => `the label of ${edge.from}>${edge.to} is covered`);
}

/** Arrows may be 2.5 / 0.6 leaf diagonals long, on average. */
function longArrows(drawn: readonly DrawnEdge[], leaves: readonly Shape[]): string[] {
  const lengths = drawn
    .filter(({ edge, route }) => route && edge.from !== edge.to)
    .map(({ length }) => length);
  const diagonals = leaves.map(({ width, height }) => Math.hypot(width, height));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return 0.6 * mean(lengths) > 2.5 * mean(diagonals) ? ['arrows are too long'] : [];
}

function wrongWay(graph: ExpectedGraph, shapeOf: Identification): string[] {
  const { direction } = graph;
  if (!direction) return [];
  return graph.edges
    .filter(({ from, to }) => from !== to && !reaches(graph, to, from))
    .filter(({ from, to }) => {
      const ahead = lead(direction, shapeOf.get(from)!, shapeOf.get(to)!);
      return !(ahead || (graph.undirected && lead(direction, shapeOf.get(to)!, shapeOf.get(from)!)));
    })
    .map(({ from, to }) => `${from}>${to} does not point ${direction}`);
}

/** Whether the centre of `b` lies beyond the far side of `a`. */
function lead(direction: Direction, a: Shape, b: Shape): boolean {
  const dx = 2 * b.x + b.width - (2 * a.x + a.width);
  const dy = 2 * b.y + b.height - (2 * a.y + a.height);
  const ahead = { LR: dx - a.width, RL: -dx - a.width, TB: dy - a.height, BT: -dy - a.height };
  return ahead[direction] > 0;
}

/** Whether a path of wanted arrows leads from one node to another: an arrow back to its start closes a cycle. */
function reaches(graph: ExpectedGraph, start: string, goal: string): boolean {
  const seen = new Set([start]);
  for (const node of seen) for (const { from, to } of graph.edges) if (from === node) seen.add(to);
  return seen.has(goal);
}

function brokenRules({ rules, graph }: DiagramTask, canvas: Canvas, shapeOf: Identification): string[] {
  const boxes = canvas.shapes.filter(({ shape }) => shape !== 'text');
  const faults: string[] = [];
  if (
    rules.grid !== defaultRules.grid &&
    boxes.some(({ x, y }) => x % rules.grid !== 0 || y % rules.grid !== 0)
  ) {
    faults.push(`not on the ${rules.grid} px grid`);
  }
  if (rules.minGap === defaultRules.minGap) return faults;
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(i + 1)) {
      if (isWithin(a, b, 4) || isWithin(b, a, 4) || isVenn(graph, shapeOf, a, b)) continue;
      const dx = Math.max(0, -shared(a.x, a.width, b.x, b.width));
      const dy = Math.max(0, -shared(a.y, a.height, b.y, b.height));
      if (dx * dx + dy * dy < rules.minGap ** 2)
        faults.push(`${a.id} and ${b.id} are closer than ${rules.minGap} px`);
    }
  });
  return faults;
}
