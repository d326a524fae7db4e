import {
  type CompletionRow,
  completionsToHtml,
  completionsToText,
  drawingsBundle,
  type CaptionedCanvas,
  type Figure,
  figureBundle,
  fragmentHtml,
  recordTable,
  type RecordTableOptions,
  tableBundle,
  type TableRecord,
} from '../display/index.js';
import type { Canvas } from '../envs/diagram/types.js';
import { shownAlready, type Displayable } from './display.js';
import { present } from './present.js';

/** A figure that is shown and can be replaced, also from a later cell. */
export interface Shown extends Displayable {
  update(figure: Figure): void;
}

/**
 * Shows a figure below the cell; as text in a terminal.
 *
 * `show({ type: 'lines', title, description, xLabel, yLabel, series: [{ name, points: [{ x, y, low, high }] }] })`
 * @throws Error without a `description`, the text for those who cannot see it; for more than 500,000 points; when there is nothing to draw.
 */
export function show(figure: Figure): Shown {
  const presented = present(figureBundle(figure));
  return { ...shownAlready, update: (next) => presented.update(figureBundle(next)) };
}

/** Shows objects as a table: keys are its header, numbers stand flush right. @throws Error for a column that no row has. */
export function table(rows: readonly TableRecord[], options: RecordTableOptions = {}): void {
  present(tableBundle(recordTable(rows, options)));
}

/**
 * Shows drawings side by side.
 * @param options.description what a reader who cannot see them is told.
 */
export function diagram(
  drawings: Canvas | readonly CaptionedCanvas[],
  { description }: { readonly description: string },
): void {
  present(drawingsBundle('shapes' in drawings ? [{ canvas: drawings }] : drawings, description));
}

/** Columns of text; as wide as a cell's output in JupyterLab on a laptop. */
const TEXT_WIDTH = 100;

/** Shows what a policy wrote, each token with its part in the loss, and what it got: those of a trainer's step, `step.completions`. */
export function completions(rows: readonly CompletionRow[]): void {
  present({
    'text/html': fragmentHtml(`<div class="scroll" tabindex="0">${completionsToHtml(rows)}</div>`),
    'text/plain': completionsToText(rows, { width: TEXT_WIDTH, color: false }),
  });
}
