/** Mends or changes a given canvas with as little as possible: what is right stays where it is. */
import { center } from '../envs/diagram/geometry.js';
import { lint } from '../envs/diagram/lint.js';
import { labelFits } from '../envs/diagram/text-metrics.js';
import type { Canvas, DiagramTask, Shape, WantedNode } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import { fitsOn, layoutGroups } from './drawing.js';
import { better, climb, type Freedom, type Judge, type Judged } from './search.js';
import { boxSizes } from './sizes.js';
import { spots } from './spots.js';
import { connected, framed, isNode, withStructure } from './structure.js';

/** Pixels; for the first box on an empty canvas. */
const usualSize = { width: 160, height: 60 };
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
        framed(graph, { ...current.canvas, shapes: [...current.canvas.shapes, shape] }, rules.grid),
      ),
    );
    const [first, ...others] = added;
    if (first === undefined) throw new Error(`task "${task.id}": no room on the canvas for "${node.label}"`);
    current = best(others, judged(first));
  }
  current = judged(connected(graph, framed(graph, current.canvas, rules.grid)));
  for (const shape of current.canvas.shapes) {
    if (isNode(graph, shape) && !labelFits(shape)) {
      current = best(enlarged(current.canvas, shape, rules.grid), current);
    }
  }
  const movable = graph.nodes.map(({ id }) => id).filter((id) => !keep.has(id));
  for (let round = 0; round < rounds && !current.score.success; round++) {
    const { canvas } = current;
    const moved = suspects(canvas, task)
      .filter((id) => movable.includes(id))
      .flatMap((id) => {
        const shape = canvas.shapes.find((each) => each.id === id)!;
        const others = canvas.shapes.filter((other) => other !== shape && isNode(graph, other));
        return spots(others, shape, center(shape), canvas, rules).map((place) =>
          framed(graph, replaced(canvas, { ...shape, ...place }), rules.grid),
        );
      });
    const next = best(moved, current);
    if (next === current) break;
    current = next;
  }
  const freedom = { movable, groups: layoutGroups(graph).filter(({ id }) => !keep.has(id)), limit };
  return { result: climb(current, freedom, rules.grid, judge, random), freedom };
}

/** Where a new node could go, as shapes, nearest to its neighbours (or to the rest of its group) first. */
function placements(task: DiagramTask, canvas: Canvas, node: WantedNode): Shape[] {
  const { graph, rules } = task;
  const around = [
    ...graph.edges.flatMap(({ from, to }) => (from === node.id ? [to] : to === node.id ? [from] : [])),
    ...graph.groups.filter(({ members }) => members.includes(node.id)).flatMap(({ members }) => members),
  ];
  const others = canvas.shapes.filter((shape) => isNode(graph, shape));
  const near = others.filter(({ id }) => around.includes(id));
  const centres = (near.length > 0 ? near : others).map(center);
  const anchor = { x: mean(centres.map(({ x }) => x)), y: mean(centres.map(({ y }) => y)) };
  const shape = node.shape ?? 'rectangle';
  const { width: minWidth, height: minHeight } = others[0] ?? usualSize;
  const sizing = { lines: 2, minWidth, minHeight, uniform: false };
  const [size] = boxSizes([{ label: node.label, shape }], sizing, rules.grid);
  const { id, label: text } = node;
  return spots(others, size!, anchor, canvas, rules).map((place) => ({
    ...place,
    ...size!,
    id,
    shape,
    text,
  }));
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
    return fitsOn(canvas, grown) ? [replaced(canvas, grown)] : [];
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

function replaced(canvas: Canvas, changed: Shape): Canvas {
  return { ...canvas, shapes: canvas.shapes.map((shape) => (shape.id === changed.id ? changed : shape)) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
