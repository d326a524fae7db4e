/** Deliberate flaws of layout: the right graph, badly placed, so that learning by reward has something to improve. */
import { center, type Box } from '../envs/diagram/geometry.js';
import { labelFits } from '../envs/diagram/text-metrics.js';
import type { Canvas, Shape } from '../envs/diagram/types.js';
import type { RandomStream } from '../tensor/random.js';
import { snap } from './grid.js';
import { replaceBoxes, type Freedom, type Judge, type Judged } from './search.js';

type Boxes = Map<string, Box>;

/** Moves or resizes some boxes in place. */
type Flaw = (
  shapes: readonly Shape[],
  boxes: Boxes,
  grid: number,
  random: RandomStream,
  canvas: Canvas,
) => void;

/** Everything pulled together until boxes nearly touch, or slightly overlap. */
const crowded: Flaw = (shapes, boxes, grid, random) => {
  const [left, top] = [Math.min(...shapes.map(({ x }) => x)), Math.min(...shapes.map(({ y }) => y))];
  const factor = 0.6 + 0.3 * random.uniform();
  for (const { id, x, y, width, height } of shapes) {
    boxes.set(id, {
      x: snap(left + (x - left) * factor, grid),
      y: snap(top + (y - top) * factor, grid),
      width,
      height,
    });
  }
};

/** Some boxes a little too narrow for their labels. */
const cramped: Flaw = (shapes, boxes, grid, random) => {
  const victims = random.shuffle(shapes).slice(0, 1 + random.int(Math.ceil(shapes.length / 2)));
  for (const shape of victims) {
    let { width, height } = shape;
    while (width > 2 * grid && labelFits({ ...shape, width, height })) {
      if (height > 2 * grid && labelFits({ ...shape, width, height: height - grid })) height -= grid;
      else width -= 2 * grid;
    }
    boxes.set(shape.id, { x: shape.x, y: shape.y, width, height });
  }
};

/** Rows and columns out of line. */
const skewed: Flaw = (shapes, boxes, grid, random) => {
  for (const { id, x, y, width, height } of shapes) {
    const jitter = (): number => grid * (random.int(13) - 6);
    boxes.set(id, { x: x + jitter(), y: y + jitter(), width, height });
  }
};

/** One box set into the way of an arrow between two others. */
const blocking: Flaw = (shapes, boxes, grid, random, { edges }) => {
  const shape = random.pick(shapes);
  const arrows = edges.filter(({ from, to }) => from !== to && from !== shape.id && to !== shape.id);
  if (arrows.length === 0) return;
  const { from, to } = random.pick(arrows);
  const [a, b] = [boxes.get(from)!, boxes.get(to)!].map(center) as [Box, Box];
  const { width, height } = shape;
  const [x, y] = [(a.x + b.x - width) / 2, (a.y + b.y - height) / 2];
  boxes.set(shape.id, { x: snap(x, grid), y: snap(y, grid), width, height });
};

const flaws: readonly Flaw[] = [crowded, cramped, skewed, blocking];

/** How much a flaw must cost, and the least a flawed drawing is still worth: the right graph with no layout at all is 0.5. */
const noticeable = 0.05;
const worthLearning = 0.52;
const attempts = 32;

/** Terms that flaws must leave alone. */
const structure = ['valid', 'nodes', 'edges', 'members', 'changes', 'keep'] as const;

/**
 * A worse drawing of the same graph: every action still runs and the structure is still right. Returns the drawing
 * unchanged when nothing about it can be made worse (a single box, say).
 */
export function spoil(
  good: Judged,
  { movable, groups }: Omit<Freedom, 'limit'>,
  grid: number,
  judge: Judge,
  random: RandomStream,
): Judged {
  const shapes = good.canvas.shapes.filter(({ id }) => movable.includes(id));
  if (shapes.length === 0) return good;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const boxes: Boxes = new Map(
      good.canvas.shapes.map(({ id, x, y, width, height }) => [id, { x, y, width, height }]),
    );
    const count = random.pick([1, 1, 1, 2]);
    for (const flaw of random.shuffle(flaws).slice(0, count)) flaw(shapes, boxes, grid, random, good.canvas);
    const canvas = replaceBoxes(good.canvas, boxes, groups, grid);
    if (canvas === null) continue;
    const score = judge(canvas);
    const intact = structure.every((term) => score.terms[term]!.value > 1 - 1e-9);
    const worse = !score.success && score.reward <= good.score.reward - noticeable;
    if (intact && worse && score.reward >= worthLearning) return { canvas, score };
  }
  return good;
}
