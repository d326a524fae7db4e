/** Looking for a drawing that passes: candidates first, then hill-climbing on the reward. */
import type { Box } from '../envs/diagram/geometry.js';
import type { Canvas, DiagramTask, Score, Shape } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import { drawGraph, fitsOn, type DrawingStyle } from './drawing.js';
import { snap } from './grid.js';
import { wrapGroups, type LayoutGroup } from './groups.js';

export type Judge = (canvas: Canvas) => Score;

export interface Judged {
  readonly canvas: Canvas;
  readonly score: Score;
}

/** A success that still looks crowded is not the end of the search. */
const goodEnough = 0.96;

/** The first good success among the drawings in the first `limit` styles, else the best of them; `null` when none fits. */
export function firstGood(
  task: DiagramTask,
  styles: Iterable<DrawingStyle>,
  judge: Judge,
  limit: number = Infinity,
): Judged | null {
  let best: Judged | null = null;
  let left = limit;
  for (const style of styles) {
    if (left-- === 0) break;
    const canvas = drawGraph(task.graph, task.rules, style);
    if (canvas === null) continue;
    const score = judge(canvas);
    if (best === null || better(score, best.score)) best = { canvas, score };
    if (score.success && score.reward >= goodEnough) break;
  }
  return best;
}

/** A success beats any failure; among equals the reward decides. */
export function better(a: Score, b: Score): boolean {
  return a.success === b.success ? a.reward > b.reward : a.success;
}

/** What hill-climbing may change. */
export interface Freedom {
  /** Ids of the shapes that may move. */
  readonly movable: readonly string[];
  /** Groups that are drawn anew around their members, by shape id. */
  readonly groups: readonly LayoutGroup[];
  /** Most drawings to try. */
  readonly limit: number;
}

/**
 * Moves shapes about, one change at a time, and keeps whatever does not lower the score, until the drawing succeeds
 * or the limit is reached.
 */
export function climb(
  start: Judged,
  { movable, groups, limit }: Freedom,
  grid: number,
  judge: Judge,
  random: RandomStream,
): Judged {
  let best = start;
  if (movable.length === 0) return best;
  for (let tried = 0; tried < limit && !best.score.success; tried++) {
    const canvas = rearrange(best.canvas, movable, groups, grid, random);
    if (canvas === null) continue;
    const score = judge(canvas);
    if (score.success || score.reward >= best.score.reward) best = { canvas, score };
  }
  return best;
}

const strides = [1, 2, 4, 8, 16];

/** One random change: shift a shape, shift everything beyond a line, or exchange two shapes. `null` when it leaves the canvas. */
function rearrange(
  canvas: Canvas,
  movable: readonly string[],
  groups: readonly LayoutGroup[],
  grid: number,
  random: RandomStream,
): Canvas | null {
  const boxes = new Map(canvas.shapes.map((shape) => [shape.id, boxOf(shape)]));
  const axis = random.pick(['x', 'y'] as const);
  const step = random.pick(strides) * grid * random.pick([-1, 1]);
  const chosen = random.pick(movable);
  const box = boxes.get(chosen)!;
  const kind = random.uniform();
  if (kind < 0.6) {
    boxes.set(chosen, { ...box, [axis]: box[axis] + step });
  } else if (kind < 0.85) {
    for (const id of movable) {
      const other = boxes.get(id)!;
      if (other[axis] >= box[axis]) boxes.set(id, { ...other, [axis]: other[axis] + step });
    }
  } else {
    const other = random.pick(movable);
    const partner = boxes.get(other)!;
    boxes.set(chosen, centredOn(box, partner, grid));
    boxes.set(other, centredOn(partner, box, grid));
  }
  return replaceBoxes(canvas, boxes, groups, grid);
}

/** The canvas with other boxes, and its groups wrapped around them; `null` when something sticks out. */
export function replaceBoxes(
  canvas: Canvas,
  boxes: ReadonlyMap<string, Box>,
  groups: readonly LayoutGroup[],
  grid: number,
): Canvas | null {
  const loose = new Map(boxes);
  groups.forEach(({ id }) => loose.delete(id));
  const wrapped = wrapGroups(loose, groups, grid);
  const shapes = canvas.shapes.map((shape): Shape => ({ ...shape, ...wrapped.get(shape.id)! }));
  return shapes.every((shape) => fitsOn(canvas, shape)) ? { ...canvas, shapes } : null;
}

function boxOf({ x, y, width, height }: Shape): Box {
  return { x, y, width, height };
}

function centredOn(box: Box, place: Box, grid: number): Box {
  return {
    ...box,
    x: snap(place.x + (place.width - box.width) / 2, grid),
    y: snap(place.y + (place.height - box.height) / 2, grid),
  };
}
