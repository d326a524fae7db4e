/** What every reader of a foreign file ends with: shapes and arrows as found become a canvas that keeps our rules. */
import { FORBIDDEN_TEXT, isId } from '../envs/diagram/actions.js';
import { MIN_SIZE, defaultRules } from '../envs/diagram/canvas.js';
import type { Box } from '../envs/diagram/geometry.js';
import { isVisible, textSize } from '../envs/diagram/text-metrics.js';
import type { Canvas, Edge, Shape, ShapeKind } from '../envs/diagram/types.js';

export interface Imported {
  readonly canvas: Canvas;
  /** What the file holds and a canvas cannot, a sentence each; empty when nothing was lost. */
  readonly dropped: readonly string[];
}

/** A shape as a file has it: any id, any finite numbers, any text. */
export interface FoundShape extends Box {
  readonly id: string;
  readonly shape: ShapeKind;
  readonly text: string;
}

/** An arrow as a file has it; an end is the id of a found shape, or `undefined` when nothing is bound there. */
export interface FoundEdge {
  readonly id: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly label: string;
}

/** Pixels left free beside a drawing that had to be moved onto the canvas. */
const MARGIN = 40;

/**
 * Makes a canvas of what a file holds, in the order found. Coordinates are rounded to whole pixels and boxes are at
 * least 20 px wide and high; text shapes get the size of their text. A drawing that starts outside the default canvas
 * is moved onto it; the canvas grows to hold what reaches beyond. Ids that a canvas does not allow become `n1`, `n2`, …
 */
export function assemble(
  found: readonly FoundShape[],
  arrows: readonly FoundEdge[],
  dropped: readonly string[] = [],
): Imported {
  const shapes = found.map(toShape);
  const isBlank = ({ shape, text }: Shape): boolean => shape === 'text' && text === '';
  const kept = shapes.filter((shape) => !isBlank(shape));
  const ids = allowedIds(kept.map(({ id }) => id));
  const named = kept.map((shape, index) => ({ ...shape, id: ids[index]! }));
  const byFoundId = new Map<string, Shape>();
  kept.forEach(({ id }, index) => byFoundId.has(id) || byFoundId.set(id, named[index]!));

  const { edges, refused } = connectAll(arrows, byFoundId);
  const blanks = shapes.filter(isBlank).map(({ id }) => `text ${id} shows nothing`);
  return { canvas: { ...placeOnCanvas(named), edges }, dropped: [...dropped, ...blanks, ...refused] };
}

function toShape({ id, shape, x, y, width, height, text }: FoundShape): Shape {
  const label = cleanText(text);
  const size = shape === 'text' ? textSize(label) : { width: wholeSide(width), height: wholeSide(height) };
  // `+ 0` turns -0 into 0.
  return { id, shape, x: Math.round(x) + 0, y: Math.round(y) + 0, ...size, text: label };
}

function wholeSide(length: number): number {
  return Math.max(MIN_SIZE, Math.round(length));
}

/** The text without characters a canvas refuses: control characters and what reorders or hides text. */
function cleanText(text: string): string {
  const plain = text.replace(/\r\n?/g, '\n').replaceAll('\t', ' ');
  const allowed = [...plain].filter((character) => !FORBIDDEN_TEXT.test(character)).join('');
  return isVisible(allowed) ? allowed : '';
}

/** Keeps every id that a canvas allows and that is not taken; the others are numbered. */
function allowedIds(found: readonly string[]): string[] {
  const taken = new Set(found.filter(isId));
  const used = new Set<string>();
  let number = 0;
  return found.map((id) => {
    let allowed = id;
    while (!isId(allowed) || used.has(allowed) || (allowed !== id && taken.has(allowed))) {
      allowed = `n${++number}`;
    }
    used.add(allowed);
    return allowed;
  });
}

function connectAll(
  arrows: readonly FoundEdge[],
  shapes: ReadonlyMap<string, Shape>,
): { readonly edges: Edge[]; readonly refused: string[] } {
  const edges = new Map<string, Edge>();
  const refused: string[] = [];
  for (const { id, from, to, label } of arrows) {
    const ends = [from, to].map((end) => (end === undefined ? undefined : shapes.get(end)));
    const [start, end] = ends;
    if (!start || !end) {
      refused.push(`arrow ${id} has no shape at its ${start ? 'end' : 'start'}`);
    } else if (start.shape === 'text' || end.shape === 'text') {
      refused.push(`arrow ${id} ends at a text, and arrows join boxes only`);
    } else {
      const edge = { from: start.id, to: end.id, label: cleanText(label) };
      const key = JSON.stringify(edge);
      if (edges.has(key)) refused.push(`arrow ${id} is the same as another one`);
      else edges.set(key, edge);
    }
  }
  return { edges: [...edges.values()], refused };
}

function placeOnCanvas(shapes: readonly Shape[]): Omit<Canvas, 'edges'> {
  const across = fit(shapes, 'x', 'width', defaultRules.canvasWidth);
  const down = fit(shapes, 'y', 'height', defaultRules.canvasHeight);
  return {
    width: across.size,
    height: down.size,
    shapes: shapes.map((shape) => ({ ...shape, x: shape.x + across.shift, y: shape.y + down.shift })),
  };
}

/** Along one axis: how far to move the shapes, and how large the canvas must be. */
function fit(
  shapes: readonly Shape[],
  start: 'x' | 'y',
  length: 'width' | 'height',
  size: number,
): { readonly shift: number; readonly size: number } {
  let low = Infinity;
  let high = 0;
  for (const shape of shapes) {
    low = Math.min(low, shape[start]);
    high = Math.max(high, shape[start] + shape[length]);
  }
  if (shapes.length === 0) return { shift: 0, size };
  const shift = low < 0 || low >= size ? MARGIN - low : 0;
  return { shift, size: Math.max(size, high + shift) };
}
