import { padToWidth, cellWidth } from './cells.js';
import type { DotPlot } from './dot-plot.js';
import type { Figure } from './figure.js';
import { figureTable } from './figure-table.js';
import { short } from './format.js';
import type { LineChart, Series } from './line-chart.js';
import { sparkline } from './sparkline.js';
import { tableToText } from './table.js';
import { tokenStripText } from './token-strip.js';
import { valueMapText } from './value-map-text.js';

const SPARK_COLUMNS = 40;

/** The figure for a terminal: lines as rows of bars, dots as a table, places as boxes, tokens as words with numbers. */
export function figureText(figure: Figure): string {
  switch (figure.type) {
    case 'lines':
      return linesText(figure);
    case 'dots':
      return dotsText(figure);
    case 'values':
      return valueMapText(figure).join('\n');
    case 'tokens':
      return tokenStripText(figure);
  }
}

function linesText({ title, xLabel, yLabel, series }: LineChart): string {
  const shown = series.filter(({ behind }) => behind === undefined);
  const width = Math.max(...shown.map(({ name }) => cellWidth(name)));
  return [`${title} (${yLabel} over ${xLabel})`, ...shown.map((each) => seriesText(each, width))].join('\n');
}

/** Each row of bars has a scale of its own, which its numbers tell. */
function seriesText({ name, points }: Series, width: number): string {
  const finite = points.filter(({ y }) => Number.isFinite(y));
  if (finite.length === 0) return `  ${name}: nothing yet`;
  const ys = finite.map(({ y }) => y);
  const [low, high] = ys.reduce(([l, h], y) => [Math.min(l, y), Math.max(h, y)], [Infinity, -Infinity]);
  const bars = sparkline(meansOf(ys, SPARK_COLUMNS), SPARK_COLUMNS);
  const numbers = `${short(ys[0]!)} → ${short(ys.at(-1)!)}`;
  const range = finite.length > 1 ? `, between ${short(low!)} and ${short(high!)}` : '';
  return `  ${padToWidth(name, width)}  ${bars}  ${finite.length > 1 ? numbers : short(ys[0]!)}${range}`;
}

/** The values in `most` equal stretches, each by its mean. */
function meansOf(values: readonly number[], most: number): readonly number[] {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, i) => {
    const [start, end] = [i, i + 1].map((edge) => Math.round((edge * values.length) / most));
    const stretch = values.slice(start, end);
    return stretch.reduce((sum, v) => sum + v, 0) / stretch.length;
  });
}

function dotsText(plot: { readonly type: 'dots' } & DotPlot): string {
  return `${plot.title}\n${tableToText(figureTable(plot))}`;
}
