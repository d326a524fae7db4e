import type { Canvas, Edge, Shape } from '../envs/diagram/types.js';
import { createGrid, gridLines, horizontal, put, vertical, write, type Grid } from './cell-grid.js';
import { cellWidth, fitToWidth } from './cells.js';

/** A rectangle of terminal cells, both ends inclusive. */
interface CellBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * A canvas as lines of box-drawing characters, at most `columns` × `rows` cells: a glance at a drawing, not the drawing.
 * Rectangles have square corners, ellipses round ones, diamonds ◇ in theirs; long labels are cut with `…`.
 */
export function canvasArt(canvas: Canvas, columns = 76, rows = 16): string[] {
  if (canvas.shapes.length === 0) return ['(empty canvas)'];
  const place = cellPlacement(canvas.shapes, columns, rows);
  const boxes = new Map(canvas.shapes.map((shape) => [shape.id, place(shape)]));
  const grid = createGrid(columns, rows);
  for (const edge of canvas.edges) drawEdge(grid, edge, boxes);
  for (const shape of largestFirst(canvas.shapes))
    drawShape(grid, shape, boxes.get(shape.id)!, contains(shape, canvas.shapes));
  for (const edge of canvas.edges) drawHeadAndLabel(grid, edge, boxes);
  return gridLines(grid);
}

/** Shapes' common bounding box mapped to the cells; a cell is about twice as high as it is wide. */
function cellPlacement(shapes: readonly Shape[], columns: number, rows: number): (shape: Shape) => CellBox {
  const left = Math.min(...shapes.map((s) => s.x));
  const top = Math.min(...shapes.map((s) => s.y));
  const width = Math.max(...shapes.map((s) => s.x + s.width)) - left;
  const height = Math.max(...shapes.map((s) => s.y + s.height)) - top;
  const pixelsPerColumn = Math.max(width / columns, height / (2 * rows), 8);
  const cell = (pixels: number, perCell: number, limit: number): number =>
    Math.min(limit, Math.max(0, Math.round(pixels / perCell)));
  return (s) => {
    const l = cell(s.x - left, pixelsPerColumn, columns - 3);
    const t = cell(s.y - top, 2 * pixelsPerColumn, rows - (s.shape === 'text' ? 1 : 3));
    return {
      left: l,
      top: t,
      right: Math.max(l + 2, cell(s.x + s.width - left, pixelsPerColumn, columns) - 1),
      bottom:
        s.shape === 'text' ? t : Math.max(t + 2, cell(s.y + s.height - top, 2 * pixelsPerColumn, rows) - 1),
    };
  };
}

interface Route {
  readonly sideways: boolean;
  readonly from: readonly [column: number, row: number];
  readonly to: readonly [column: number, row: number];
  /** Column (sideways) or row where the route turns. */
  readonly bend: number;
  readonly head: string;
}

/** Out of the side that faces the target, one bend half way, into the facing side. `undefined` for loops and touching boxes. */
function routeOf(edge: Edge, boxes: ReadonlyMap<string, CellBox>): Route | undefined {
  const a = boxes.get(edge.from);
  const b = boxes.get(edge.to);
  if (a === undefined || b === undefined || a === b) return undefined;
  const gapX = Math.max(b.left - a.right, a.left - b.right);
  const gapY = Math.max(b.top - a.bottom, a.top - b.bottom);
  if (gapX < 2 && gapY < 2) return undefined;
  if (gapX >= 2 * gapY || gapY < 2) {
    const rightward = b.left > a.right;
    const from = [rightward ? a.right + 1 : a.left - 1, middle(a.top, a.bottom)] as const;
    const to = [rightward ? b.left - 1 : b.right + 1, middle(b.top, b.bottom)] as const;
    return { sideways: true, from, to, bend: middle(from[0], to[0]), head: rightward ? '►' : '◄' };
  }
  const downward = b.top > a.bottom;
  const from = [middle(a.left, a.right), downward ? a.bottom + 1 : a.top - 1] as const;
  const to = [middle(b.left, b.right), downward ? b.top - 1 : b.bottom + 1] as const;
  return { sideways: false, from, to, bend: middle(from[1], to[1]), head: downward ? '▼' : '▲' };
}

function middle(a: number, b: number): number {
  return Math.floor((a + b) / 2);
}

function drawEdge(grid: Grid, edge: Edge, boxes: ReadonlyMap<string, CellBox>): void {
  const route = routeOf(edge, boxes);
  if (route === undefined) return;
  const { from, to, bend } = route;
  if (route.sideways) {
    horizontal(grid, from[1], from[0], bend);
    vertical(grid, bend, from[1], to[1]);
    horizontal(grid, to[1], bend, to[0]);
  } else {
    vertical(grid, from[0], from[1], bend);
    horizontal(grid, bend, from[0], to[0]);
    vertical(grid, to[0], bend, to[1]);
  }
}

function drawHeadAndLabel(grid: Grid, edge: Edge, boxes: ReadonlyMap<string, CellBox>): void {
  const route = routeOf(edge, boxes);
  const loop = edge.from === edge.to ? boxes.get(edge.from) : undefined;
  if (loop !== undefined) put(grid, loop.right, loop.top, '↺');
  if (route === undefined) return;
  if (edge.label !== '') {
    const room = route.sideways ? Math.abs(route.to[0] - route.from[0]) - 1 : 12;
    const text = fitToWidth(edge.label, room);
    const column = route.sideways ? route.bend - Math.floor(cellWidth(text) / 2) : route.from[0] + 1;
    write(grid, column, route.sideways ? route.from[1] : route.bend, text);
  }
  put(grid, route.to[0], route.to[1], route.head);
}

const CORNERS = {
  rectangle: '┌┐└┘',
  ellipse: '╭╮╰╯',
  diamond: '◇◇◇◇',
} as const;

function drawShape(grid: Grid, shape: Shape, box: CellBox, isGroup: boolean): void {
  if (shape.shape === 'text') {
    write(grid, box.left, box.top, fitToWidth(shape.text, Math.max(3, box.right - box.left + 1)));
    return;
  }
  if (!isGroup) fill(grid, box);
  for (let c = box.left + 1; c < box.right; c += 1) {
    put(grid, c, box.top, '─');
    put(grid, c, box.bottom, '─');
  }
  for (let r = box.top + 1; r < box.bottom; r += 1) {
    put(grid, box.left, r, '│');
    put(grid, box.right, r, '│');
  }
  const [topLeft, topRight, bottomLeft, bottomRight] = CORNERS[shape.shape];
  put(grid, box.left, box.top, topLeft!);
  put(grid, box.right, box.top, topRight!);
  put(grid, box.left, box.bottom, bottomLeft!);
  put(grid, box.right, box.bottom, bottomRight!);
  const text = fitToWidth(shape.text, box.right - box.left - 1);
  const column = box.left + 1 + Math.floor((box.right - box.left - 1 - cellWidth(text)) / 2);
  write(grid, column, isGroup ? box.top : middle(box.top, box.bottom), text);
}

function fill(grid: Grid, box: CellBox): void {
  for (let r = box.top; r <= box.bottom; r += 1) {
    for (let c = box.left; c <= box.right; c += 1) put(grid, c, r, ' ');
  }
}

function contains(shape: Shape, all: readonly Shape[]): boolean {
  return all.some(
    (s) =>
      s.id !== shape.id &&
      s.shape !== 'text' &&
      s.x >= shape.x &&
      s.y >= shape.y &&
      s.x + s.width <= shape.x + shape.width &&
      s.y + s.height <= shape.y + shape.height,
  );
}

function largestFirst(shapes: readonly Shape[]): Shape[] {
  return shapes.toSorted((a, b) => b.width * b.height - a.width * a.height);
}
