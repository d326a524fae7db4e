import {
  innerArea,
  labelFits,
  LABEL_PADDING,
  LINE_HEIGHT,
  labelLines,
  lineWidth,
  type Size,
} from '../envs/diagram/text-metrics.js';
import type { ShapeKind } from '../envs/diagram/types.js';
import { snapUp } from './grid.js';

export interface SizeStyle {
  /** Most lines a label may be wrapped into. */
  readonly lines: number;
  /** Smallest box, pixels. */
  readonly minWidth: number;
  readonly minHeight: number;
  /** Give all boxes of one drawing that have the same shape the same size. */
  readonly uniform: boolean;
}

interface Labelled {
  readonly label: string;
  readonly shape: ShapeKind;
}

/**
 * Sizes in which the labels fit, even multiples of the grid, so that centres lie on the grid and boxes of different
 * sizes can share a centre line.
 */
export function boxSizes(nodes: readonly Labelled[], style: SizeStyle, grid: number): Size[] {
  const own = nodes.map((node) => boxSize(node, style, 2 * grid));
  if (!style.uniform) return own;
  return nodes.map(({ shape }) => {
    const alike = own.filter((_, index) => nodes[index]!.shape === shape);
    return {
      width: Math.max(...alike.map(({ width }) => width)),
      height: Math.max(...alike.map(({ height }) => height)),
    };
  });
}

/** The narrowest box that holds a label in at most `lines` lines. */
function boxSize({ label, shape }: Labelled, { lines, minWidth, minHeight }: SizeStyle, unit: number): Size {
  const paragraphs = label.split('\n').length;
  for (let width = snapUp(minWidth, unit); ; width += unit) {
    const inner = innerArea(shape, width, width).width;
    const wrapped = labelLines({ shape, width, height: width, text: label });
    if (wrapped.length > Math.max(lines, paragraphs) || wrapped.some((line) => lineWidth(line) > inner))
      continue;
    let height = snapUp(Math.max(minHeight, wrapped.length * LINE_HEIGHT + 2 * LABEL_PADDING), unit);
    while (!labelFits({ shape, width, height, text: label })) height += unit;
    return { width, height };
  }
}
