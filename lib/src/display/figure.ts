/** A figure is one description; it becomes a drawing, a table or a few lines of text, whatever the reader's front end can show. */
import { escapeMarkup } from '../markup.js';
import { dotPlot, type DotPlot } from './dot-plot.js';
import { figureTable } from './figure-table.js';
import { figureText } from './figure-text.js';
import { fragmentHtml } from './fragment.js';
import { lineChart, type LineChart } from './line-chart.js';
import type { MimeBundle } from './mime.js';
import { plotlySpec } from './plotly.js';
import { tableToHtml } from './table.js';
import { standaloneSvg } from './theme.js';
import { thinned } from './thin.js';
import { tokenStripSvg, type TokenStrip } from './token-strip.js';
import { valueMapSvg, type ValueMap } from './value-map.js';

/** Lines over a common x, named numbers, the values of a grid world, or a number at each token of a text. `description` is what a reader who cannot see it is told. */
export type Figure =
  | ({ readonly type: 'lines' } & LineChart)
  | ({ readonly type: 'dots' } & DotPlot)
  | ({ readonly type: 'values' } & ValueMap)
  | ({ readonly type: 'tokens' } & TokenStrip);

/** Most points of a figure; more than any screen has pixels to show. */
export const MOST_POINTS = 500_000;
/** Points of one line that a drawing shows: some for each column of its pixels. */
const DRAWN_POINTS = 2000;

/** Whether this is a figure, and not some other object. */
export function isFigure(value: unknown): value is Figure {
  const figure = value as Partial<Figure> | null;
  return (
    typeof figure === 'object' &&
    figure !== null &&
    typeof figure.title === 'string' &&
    ((figure.type === 'lines' && Array.isArray(figure.series)) ||
      (figure.type === 'dots' && Array.isArray(figure.dots)) ||
      (figure.type === 'values' && Array.isArray(figure.rows)) ||
      (figure.type === 'tokens' && Array.isArray(figure.tokens)))
  );
}

/**
 * The figure for a notebook: `application/vnd.plotly.v1+json` (lines and dots), `text/html`, which follows the page's light or dark theme
 * and has caption and data table, `image/svg+xml`, and `text/plain` for a terminal.
 * @throws Error without a description, for more than 500,000 points, and when there is nothing to draw.
 */
export function figureBundle(figure: Figure): MimeBundle {
  checkFigure(figure);
  const drawn = drawable(figure);
  const svg = figureSvg(drawn);
  const plotly = plotlySpec(drawn);
  return {
    ...(plotly && { 'application/vnd.plotly.v1+json': plotly }),
    'text/html': figureHtml(drawn, svg),
    'image/svg+xml': standaloneSvg(svg),
    'text/plain': figureText(figure),
  };
}

/** The figure as one `<svg>` element, which takes its colours from the page. */
export function figureSvg(figure: Figure): string {
  switch (figure.type) {
    case 'lines':
      return lineChart(figure);
    case 'dots':
      return dotPlot(figure);
    case 'values':
      return valueMapSvg(figure);
    case 'tokens':
      return tokenStripSvg(figure);
  }
}

function figureHtml(figure: Figure, svg: string): string {
  const caption = `<figcaption>${escapeMarkup(figure.description)}</figcaption>`;
  const data = `<details><summary>Data</summary><div class="scroll" tabindex="0">${tableToHtml(figureTable(figure))}</div></details>`;
  return fragmentHtml(`<figure><div class="scroll">${svg}</div>${caption}</figure>${data}`);
}

function checkFigure(figure: Figure): void {
  const { title, description } = figure;
  if (typeof description !== 'string' || description.trim() === '')
    throw new Error(`figure "${title}" needs a description: what a reader who cannot see it should know`);
  const points = figure.type === 'lines' ? figure.series.reduce((sum, s) => sum + s.points.length, 0) : 0;
  if (points > MOST_POINTS)
    throw new RangeError(
      `figure "${title}" has ${points} points, at most ${MOST_POINTS} can be shown; down-sample them, e.g. keep every ${Math.ceil(points / 10_000)}th point, or a mean of so many`,
    );
}

function drawable(figure: Figure): Figure {
  if (figure.type !== 'lines') return figure;
  const series = figure.series.map((each) => ({ ...each, points: thinned(each.points, DRAWN_POINTS) }));
  return { ...figure, series };
}
