/** Mends or changes a given canvas with as little as possible: what is right stays where it is. */
import { center, contains, gap, type Box, type Point } from '../envs/diagram/geometry.js';
import { readCanvas } from '../envs/diagram/hierarchy.js';
import { lint } from '../envs/diagram/lint.js';
import { labelFits } from '../envs/diagram/text-metrics.js';
import type { Canvas, DiagramTask, Edge, ExpectedGraph, Shape, WantedNode } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import { layoutGroups } from './drawing.js';
import { hasEdge } from './edits.js';
import { wrapGroups } from './layout.js';
import { better, climb, type Freedom, type Judge, type Judged } from './search.js';
import { boxSizes } from './sizes.js';

/** Places tried for one box, nearest first. */
const spotsTried = 60;
/** Boxes moved one after another before hill-climbing takes over. */
const rounds = 6;

export interface Correction {
  readonly result: Judged;
  /** What of the result may be moved without breaking the request. */
  readonly freedom: Freedom;
}

/**
 * The canvas as the task wants it: wrong labels, shapes and arrows replaced, missing ones added near what they are
 * connected to, boxes that overlap or are run through moved aside. Shapes to keep stay in place.
 */
export function correct(
  task: DiagramTask,
  start: Canvas,
  judge: Judge,
  limit: number,
  random: RandomStream,
): Correction {
  const { graph, rules } = task;
  const keep = new Set(graph.keep);
  const judged = (canvas: Canvas): Judged => ({ canvas, score: judge(canvas) });
  const best = (options: readonly Canvas[], least: Judged): Judged =>
    options.reduce((champion, option) => {
      if (champion.score.success) return champion;
      const rival = judged(option);
      return better(rival.score, champion.score) ? rival : champion;
    }, least);

  let current = judged(withStructure(graph, start));
  for (const node of graph.nodes) {
    if (current.canvas.shapes.some(({ id }) => id === node.id)) continue;
    const added = placements(task, current.canvas, node).map((shape) =>
      connected(
        graph,
        wrapped(graph, { ...current.canvas, shapes: [...current.canvas.shapes, shape] }, rules.grid),
      ),
    );
    const [first, ...others] = added;
    if (first === undefined) throw new Error(`task "${task.id}": no room on the canvas for "${node.label}"`);
    current = best(others, judged(first));
  }
  current = judged(connected(graph, wrapped(graph, current.canvas, rules.grid)));
  for (const shape of current.canvas.shapes) {
    if (isLeaf(graph, shape) && !labelFits(shape)) {
      current = best(enlarged(current.canvas, shape, rules.grid), current);
    }
  }
  const movable = graph.nodes.map(({ id }) => id).filter((id) => !keep.has(id));
  for (let round = 0; round < rounds && !current.score.success; round++) {
    const { canvas } = current;
    const moved = suspects(canvas, task)
      .filter((id) => movable.includes(id))
      .flatMap((id) =>
        spots(task, without(canvas, id), shapeOf(canvas, id), center(shapeOf(canvas, id))).map((place) =>
          wrapped(graph, moveTo(canvas, id, place), rules.grid),
        ),
      );
    const next = best(moved, current);
    if (next === current) break;
    current = next;
  }
  const freedom = { movable, groups: layoutGroups(graph).filter(({ id }) => !keep.has(id)), limit };
  return { result: climb(current, freedom, rules.grid, judge, random), freedom };
}

/** Drops what nobody wants, and puts labels, kinds of shape and arrows right. */
function withStructure(graph: ExpectedGraph, canvas: Canvas): Canvas {
  const wanted = new Map<string, WantedNode>(
    [...graph.nodes, ...graph.groups].map((node) => [node.id, node]),
  );
  const read = readCanvas(canvas);
  const shapes = read.flatMap(({ shape, role, label, parent }): Shape[] => {
    if (role === 'label') {
      const owner = read[parent!]!;
      return wanted.get(owner.shape.id)?.label === owner.label ? [shape] : [];
    }
    const node = wanted.get(shape.id);
    if (node === undefined) return [];
    const kind = node.shape ?? shape.shape;
    return [{ ...shape, shape: kind, text: label === node.label ? shape.text : node.label }];
  });
  return connected(graph, { ...canvas, shapes });
}

/** The canvas with exactly the wanted arrows, as far as both ends exist; those that are there keep their place. */
function connected(graph: ExpectedGraph, canvas: Canvas): Canvas {
  const exists = (id: string): boolean => canvas.shapes.some((shape) => shape.id === id);
  const isThere = (edge: Edge): boolean =>
    hasEdge(canvas, edge) ||
    (graph.undirected === true && hasEdge(canvas, { from: edge.to, to: edge.from, label: edge.label }));
  const wanted = graph.edges
    .map(({ from, to, label = '' }): Edge => ({ from, to, label }))
    .filter(({ from, to }) => exists(from) && exists(to));
  const matches = (edge: Edge): boolean =>
    wanted.some(
      ({ from, to, label }) =>
        label === edge.label &&
        ((from === edge.from && to === edge.to) ||
          (graph.undirected === true && from === edge.to && to === edge.from)),
    );
  return { ...canvas, edges: [...canvas.edges.filter(matches), ...wanted.filter((edge) => !isThere(edge))] };
}

/** The canvas with every group drawn, and stretched where a member sticks out. */
function wrapped(graph: ExpectedGraph, canvas: Canvas, grid: number): Canvas {
  const groups = layoutGroups(graph);
  const leaves = new Map(
    canvas.shapes.filter((shape) => isLeaf(graph, shape)).map((shape) => [shape.id, shape as Box]),
  );
  const complete = groups.filter(({ members }) =>
    members.every((id) => leaves.has(id) || groups.some((group) => group.id === id)),
  );
  const ideal = wrapGroups(leaves, complete, grid);
  const boxes = new Map<string, Box>(canvas.shapes.map((shape) => [shape.id, shape]));
  // Inner groups are listed after outer ones: stretch from the inside out.
  for (const { id, members } of [...complete].reverse()) {
    const old = boxes.get(id);
    if (old === undefined) boxes.set(id, ideal.get(id)!);
    else if (!members.every((member) => contains(old, boxes.get(member)!)))
      boxes.set(id, union(old, ideal.get(id)!));
  }
  const missing = complete.filter(({ id }) => !canvas.shapes.some((shape) => shape.id === id));
  const labels = new Map(graph.groups.map(({ id, label }) => [id, label]));
  return {
    ...canvas,
    shapes: [
      ...missing.map(({ id }): Shape => ({
        ...boxes.get(id)!,
        id,
        shape: 'rectangle',
        text: labels.get(id)!,
      })),
      ...canvas.shapes.map((shape): Shape => {
        const { x, y, width, height } = boxes.get(shape.id)!;
        return { ...shape, x, y, width, height };
      }),
    ],
  };
}

function union(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** Where a new node could go, as shapes, nearest to its neighbours (or to the rest of its group) first. */
function placements(task: DiagramTask, canvas: Canvas, node: WantedNode): Shape[] {
  const { graph, rules } = task;
  const around = [
    ...graph.edges.flatMap(({ from, to }) => (from === node.id ? [to] : to === node.id ? [from] : [])),
    ...graph.groups.filter(({ members }) => members.includes(node.id)).flatMap(({ members }) => members),
  ];
  const leaves = canvas.shapes.filter((shape) => isLeaf(graph, shape));
  const near = leaves.filter(({ id }) => around.includes(id)).map(center);
  const all = near.length > 0 ? near : leaves.map(center);
  const anchor = { x: mean(all.map(({ x }) => x)), y: mean(all.map(({ y }) => y)) };
  const shape = node.shape ?? 'rectangle';
  const typical = leaves[0] ?? { width: 120, height: 60 };
  const sizing = { lines: 2, minWidth: typical.width, minHeight: typical.height, uniform: false };
  const [size] = boxSizes([{ label: node.label, shape }], sizing, rules.grid);
  return spots(task, canvas, size!, anchor).map((place): Shape => ({
    ...place,
    ...size!,
    id: node.id,
    shape,
    text: node.label,
  }));
}

/** Free places for a box, in line with or beside the other boxes, nearest to the anchor first. */
function spots(
  task: DiagramTask,
  canvas: Canvas,
  size: Pick<Box, 'width' | 'height'>,
  anchor: Point,
): Point[] {
  const { grid, minGap } = task.rules;
  const { width, height } = size;
  const leaves = canvas.shapes.filter((shape) => isLeaf(task.graph, shape));
  const snap = (value: number): number => Math.round(value / grid) * grid;
  const gaps = [Math.max(40, minGap), 80, 120, 180].map((space) => Math.ceil(space / grid) * grid);
  const along = (start: number, length: number, own: number): number[] => [
    snap(start + (length - own) / 2),
    ...gaps.flatMap((space) => [start + length + space, start - space - own]),
  ];
  const xs = new Set(leaves.flatMap((leaf) => along(leaf.x, leaf.width, width)));
  const ys = new Set(leaves.flatMap((leaf) => along(leaf.y, leaf.height, height)));
  if (leaves.length === 0) [xs, ys].forEach((places) => places.add(snap(60)));
  const distance = ({ x, y }: Point): number =>
    Math.hypot(x + width / 2 - anchor.x, y + height / 2 - anchor.y);
  const isFree = ({ x, y }: Point): boolean =>
    x >= 0 &&
    y >= 0 &&
    x + width <= canvas.width &&
    y + height <= canvas.height &&
    leaves.every((leaf) => gap(leaf, { x, y, width, height }) >= minGap);
  return [...xs]
    .flatMap((x) => [...ys].map((y): Point => ({ x, y })))
    .filter(isFree)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, spotsTried);
}

/** The canvas with one box grown until its label fits, in several ways. */
function enlarged(canvas: Canvas, shape: Shape, grid: number): Canvas[] {
  return [1, 2, 3].flatMap((lines) => {
    const sizing = {
      lines,
      minWidth: lines === 1 ? shape.width : 40,
      minHeight: shape.height,
      uniform: false,
    };
    const [size] = boxSizes([{ label: shape.text, shape: shape.shape }], sizing, grid);
    const width = Math.max(shape.width, size!.width);
    const height = Math.max(shape.height, size!.height);
    const grown = { ...shape, width, height };
    return shape.x + width <= canvas.width && shape.y + height <= canvas.height
      ? [replaced(canvas, grown)]
      : [];
  });
}

/** Ids that the lints of a canvas name, ends of arrows included; all nodes when there is nothing to complain about. */
function suspects(canvas: Canvas, { graph, rules }: DiagramTask): string[] {
  const named = new Set(
    lint(canvas, rules).flatMap(({ subjects }) => subjects.flatMap((subject) => subject.split('>'))),
  );
  const nodes = graph.nodes.map(({ id }) => id);
  const accused = nodes.filter((id) => named.has(id));
  return accused.length > 0 ? accused : nodes;
}

function isLeaf(graph: ExpectedGraph, { id, shape }: Shape): boolean {
  return shape !== 'text' && graph.nodes.some((node) => node.id === id);
}

function moveTo(canvas: Canvas, id: string, { x, y }: Point): Canvas {
  return replaced(canvas, { ...shapeOf(canvas, id), x, y });
}

function replaced(canvas: Canvas, changed: Shape): Canvas {
  return { ...canvas, shapes: canvas.shapes.map((shape) => (shape.id === changed.id ? changed : shape)) };
}

function without(canvas: Canvas, id: string): Canvas {
  return { ...canvas, shapes: canvas.shapes.filter((shape) => shape.id !== id) };
}

function shapeOf(canvas: Canvas, id: string): Shape {
  return canvas.shapes.find((shape) => shape.id === id)!;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
