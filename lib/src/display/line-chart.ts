import { short } from './format.js';
import { coordinate, escapeMarkup } from '../markup.js';
import { linearScale, niceInterval, ticks, type Interval } from './scale.js';
import { seriesColor } from './theme.js';

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Both set: a band is drawn between them (an interval, or the range over seeds). */
  readonly low?: number;
  readonly high?: number;
}

export interface Series {
  readonly name: string;
  /** In order of x. Points that are not finite are left out and break the line. */
  readonly points: readonly Point[];
  /** Drawn thin and without a legend entry, in the colour of the series named here: raw values behind their mean. */
  readonly behind?: string;
}

/** What to draw; how it looks is the theme's business. */
export interface LineChart {
  readonly title: string;
  /** What a reader who cannot see the chart should know. */
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  /** Default: the data's range widened to round numbers. */
  readonly yRange?: Interval;
  /** Pixels; 460 × 260 by default: two charts fit side by side on a laptop's page. */
  readonly width?: number;
  readonly height?: number;
}

const MARGIN = { top: 48, right: 16, bottom: 42, left: 60 } as const;

/** The chart as one `<svg>` element with title and description; same data, same bytes. Throws when there is no finite point. */
export function lineChart(chart: LineChart): string {
  const { width = 460, height = 260 } = chart;
  const points = chart.series.flatMap((s) => s.points).filter(isFinitePoint);
  if (points.length === 0) {
    throw new Error(
      `line chart "${chart.title}": no finite point in any series; draw the chart once there is data`,
    );
  }
  const xDomain = extent(points.map((p) => p.x));
  const yDomain =
    chart.yRange ?? niceInterval(...extent(points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y])));
  const x = linearScale(xDomain, [MARGIN.left, width - MARGIN.right]);
  const y = linearScale(yDomain, [height - MARGIN.bottom, MARGIN.top]);
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeMarkup(chart.title)}</title><desc>${escapeMarkup(chart.description)}</desc>`,
    `<text class="chart-title" x="${MARGIN.left}" y="18">${escapeMarkup(chart.title)}</text>`,
    legend(chart.series),
    yAxis(ticks(...yDomain), y, width),
    xAxis(ticks(...xDomain), x, height, width),
    `<text x="${coordinate((MARGIN.left + width - MARGIN.right) / 2)}" y="${height - 6}" text-anchor="middle">${escapeMarkup(chart.xLabel)}</text>`,
    `<text transform="translate(13 ${coordinate((MARGIN.top + height - MARGIN.bottom) / 2)}) rotate(-90)" text-anchor="middle">${escapeMarkup(chart.yLabel)}</text>`,
    ...chart.series.map((series) => seriesMarks(series, colorOf(series, chart.series), x, y)),
    '</svg>',
  ].join('');
}

function isFinitePoint(p: Point): boolean {
  return Number.isFinite(p.x) && Number.isFinite(p.y);
}

function extent(values: readonly number[]): Interval {
  return values.reduce<Interval>(
    ([low, high], v) => [Math.min(low, v), Math.max(high, v)],
    [Infinity, -Infinity],
  );
}

/** Colours are dealt to the series that stand in the legend; a series behind another shares its colour. */
function colorOf(series: Series, all: readonly Series[]): string {
  const name = series.behind ?? series.name;
  return seriesColor(
    Math.max(
      0,
      all.filter((s) => s.behind === undefined).findIndex((s) => s.name === name),
    ),
  );
}

function legend(all: readonly Series[]): string {
  const named = all.filter((s) => s.behind === undefined);
  if (named.length < 2) return '';
  let x: number = MARGIN.left;
  return named
    .map((series) => {
      const entry = `<path class="line" style="stroke:${colorOf(series, all)}" d="M${x} 32h14"/><text x="${x + 19}" y="36">${escapeMarkup(series.name)}</text>`;
      x += 19 + series.name.length * 6.6 + 16;
      return entry;
    })
    .join('');
}

function yAxis(values: readonly number[], y: (v: number) => number, width: number): string {
  return values
    .map((v) => {
      const at = coordinate(y(v));
      return `<path class="grid" d="M${MARGIN.left} ${at}H${width - MARGIN.right}"/><text x="${MARGIN.left - 7}" y="${at}" dy="4" text-anchor="end">${short(v)}</text>`;
    })
    .join('');
}

function xAxis(values: readonly number[], x: (v: number) => number, height: number, width: number): string {
  const base = height - MARGIN.bottom;
  const labels = values.map((v) => {
    const at = coordinate(x(v));
    return `<path class="axis" d="M${at} ${base}v4"/><text x="${at}" y="${base + 17}" text-anchor="middle">${short(v)}</text>`;
  });
  return `<path class="axis" d="M${MARGIN.left} ${base}H${width - MARGIN.right}"/>${labels.join('')}`;
}

function seriesMarks(
  series: Series,
  color: string,
  x: (v: number) => number,
  y: (v: number) => number,
): string {
  const runs = unbrokenRuns(series.points);
  const band = runs.map((run) => bandPath(run, x, y)).join('');
  const line = runs
    .map((run) => 'M' + run.map((p) => `${coordinate(x(p.x))} ${coordinate(y(p.y))}`).join('L'))
    .join('');
  const dot = runs
    .filter((run) => run.length === 1)
    .map(
      ([p]) =>
        `<circle style="fill:${color}" cx="${coordinate(x(p!.x))}" cy="${coordinate(y(p!.y))}" r="3"/>`,
    );
  return [
    band === '' ? '' : `<path class="band" style="fill:${color}" d="${band}"/>`,
    `<path class="${series.behind === undefined ? 'line' : 'line faint'}" style="stroke:${color}" d="${line}"/>`,
    ...dot,
  ].join('');
}

function unbrokenRuns(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (isFinitePoint(point)) runs.at(-1)!.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function bandPath(run: readonly Point[], x: (v: number) => number, y: (v: number) => number): string {
  const banded = run.filter((p): p is Required<Point> => p.low !== undefined && p.high !== undefined);
  if (banded.length < 2) return '';
  const upper = banded.map((p) => `${coordinate(x(p.x))} ${coordinate(y(p.high))}`);
  const lower = banded.toReversed().map((p) => `${coordinate(x(p.x))} ${coordinate(y(p.low))}`);
  return `M${[...upper, ...lower].join('L')}Z`;
}
