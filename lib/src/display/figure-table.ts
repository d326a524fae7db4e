import type { DotPlot } from './dot-plot.js';
import type { Figure } from './figure.js';
import { short } from './format.js';
import type { LineChart, Point } from './line-chart.js';
import type { Table } from './table.js';
import type { TokenStrip } from './token-strip.js';
import type { ValueMap } from './value-map.js';

/** Most rows of a data table; a longer one is a table of examples, evenly spaced. */
const MOST_ROWS = 50;

/** The numbers of a figure, for those who read rather than look. */
export function figureTable(figure: Figure): Table {
  switch (figure.type) {
    case 'lines':
      return lineTable(figure);
    case 'dots':
      return dotTable(figure);
    case 'values':
      return valueTable(figure);
    case 'tokens':
      return tokenTable(figure);
  }
}

function lineTable({ xLabel, series }: LineChart): Table {
  const shown = series.filter(({ behind }) => behind === undefined);
  const all = [...new Set(shown.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const kept = evenly(all, MOST_ROWS);
  const byX = shown.map(({ points }) => new Map(points.map((point) => [point.x, point])));
  return {
    ...(kept.length < all.length && { caption: `${kept.length} of ${all.length} rows` }),
    columns: [xLabel, ...shown.map(({ name }) => name)].map((header) => ({ header, align: 'right' })),
    rows: kept.map((x) => [short(x), ...byX.map((points) => withInterval(points.get(x)))]),
  };
}

function withInterval(point: Pick<Point, 'y' | 'low' | 'high'> | undefined): string {
  if (point === undefined || !Number.isFinite(point.y)) return '';
  const { y, low, high } = point;
  return low === undefined || high === undefined ? short(y) : `${short(y)} (${short(low)}–${short(high)})`;
}

function dotTable({ xLabel, dots }: DotPlot): Table {
  return {
    columns: [{ header: '' }, { header: xLabel, align: 'right' }],
    rows: dots.map(({ name, value, low, high }) => [
      name,
      withInterval({ y: value, ...(low !== undefined && { low }), ...(high !== undefined && { high }) }),
    ]),
  };
}

function valueTable({ rows }: ValueMap): Table {
  return {
    columns: [
      { header: 'situation' },
      { header: 'place' },
      { header: 'value', align: 'right' },
      { header: 'action' },
    ],
    rows: rows.flatMap((row) =>
      row.panels.flatMap((panel) =>
        panel.places
          .filter(({ value }) => value !== null)
          .map(({ name, value, action }) => [`${row.title}: ${panel.title}`, name, short(value!), action]),
      ),
    ),
  };
}

function tokenTable({ valueLabel, tokens }: TokenStrip): Table {
  return {
    columns: [{ header: 'token' }, { header: valueLabel, align: 'right' }],
    rows: tokens.map(({ text, value }) => [text, value === null ? '' : short(value)]),
  };
}

/** At most `most` of the items, first and last among them. */
function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]!);
}
