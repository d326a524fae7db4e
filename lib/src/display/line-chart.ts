import { short } from './format.js';
import { coordinate, escapeMarkup } from '../markup.js';
import { linearScale, logScale, logTicks, niceInterval, ticks, type Interval } from './scale.js';
import { seriesColor, seriesDash } from './theme.js';

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
  /** `log`: powers of ten are evenly far apart, and points at 0 or below are left out. Default `linear`. */
  readonly xScale?: 'linear' | 'log';
  /** Default: the data's range widened to round numbers. */
  readonly yRange?: Interval;
  /** Pixels; 460 × 260 by default: two charts fit side by side on a laptop's page. A legend of several lines comes on top. */
  readonly width?: number;
  readonly height?: number;
}

const MARGIN = { top: 48, right: 16, bottom: 42, left: 60 } as const;
/** Width of a letter, on average. */
const LETTER = 6.6;
const LEGEND = { line: 18, mark: 20, gap: 16 } as const;

/** Where the data goes, in pixels, and where it comes from. */
interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly base: number;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** The chart as one `<svg>` element with title and description; same data, same bytes. Throws when there is no finite point. */
export function lineChart(given: LineChart): string {
  const chart = given.xScale === 'log' ? aboveZero(given) : given;
  const { width = 460, series } = chart;
  const { xDomain, yDomain } = domainsOf(chart);
  const [scaleOfX, ticksOfX] = chart.xScale === 'log' ? [logScale, logTicks] : [linearScale, ticks];
  const xTicks = ticksOfX(...xDomain);
  const entries = legendEntries(series, width);
  const legendRows = Math.max(0, ...entries.map(({ row }) => row));
  const height = (chart.height ?? 260) + LEGEND.line * legendRows;
  // a label stands below the middle of its mark, and may stick out
  const right = width - Math.max(MARGIN.right, (LETTER * short(xTicks.at(-1)!).length) / 2 + 4);
  const [left, top, base] = [MARGIN.left, MARGIN.top + LEGEND.line * legendRows, height - MARGIN.bottom];
  const x = scaleOfX(xDomain, [left, right]);
  const y = linearScale(yDomain, [base, top]);
  const frame: Frame = { left, right, top, base, x, y };
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeMarkup(chart.title)}</title><desc>${escapeMarkup(chart.description)}</desc>`,
    `<text class="chart-title" x="8" y="18">${escapeMarkup(chart.title)}</text>`,
    ...entries.map((entry) => legendMarks(entry, series)),
    yAxis(ticks(...yDomain), frame),
    xAxis(xTicks, frame),
    `<text x="${coordinate((left + right) / 2)}" y="${height - 6}" text-anchor="middle">${escapeMarkup(chart.xLabel)}</text>`,
    `<text transform="translate(13 ${coordinate((top + base) / 2)}) rotate(-90)" text-anchor="middle">${escapeMarkup(chart.yLabel)}</text>`,
    ...series.map((each) => seriesMarks(each, strokeOf(each, series), frame)),
    '</svg>',
  ].join('');
}

/** Without the points that have no place on a logarithmic axis. */
function aboveZero(chart: LineChart): LineChart {
  const series = chart.series.map((each) => ({ ...each, points: each.points.filter(({ x }) => x > 0) }));
  return { ...chart, series };
}

function domainsOf({ title, series, yRange }: LineChart): {
  readonly xDomain: Interval;
  readonly yDomain: Interval;
} {
  const points = series.flatMap((s) => s.points).filter(isFinitePoint);
  if (points.length === 0) {
    throw new Error(
      `line chart "${title}": no finite point in any series; draw the chart once there is data`,
    );
  }
  const ys = points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y]);
  return { xDomain: extent(points.map((p) => p.x)), yDomain: yRange ?? niceInterval(...extent(ys)) };
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

/** The series that stand in the legend. */
function namedSeries(all: readonly Series[]): readonly Series[] {
  return all.filter(({ behind }) => behind === undefined);
}

interface Stroke {
  readonly color: string;
  /** As `stroke-dasharray` wants it; empty for an unbroken line. */
  readonly dash: string;
}

/** Colours and dashes are dealt to the series that stand in the legend; a series behind another shares its colour. */
function strokeOf(series: Series, all: readonly Series[]): Stroke {
  const name = series.behind ?? series.name;
  const index = Math.max(
    0,
    namedSeries(all).findIndex((s) => s.name === name),
  );
  return { color: seriesColor(index), dash: series.behind === undefined ? seriesDash(index) : '' };
}

const strokeStyle = ({ color, dash }: Stroke): string =>
  `stroke:${color}${dash === '' ? '' : `;stroke-dasharray:${dash}`}`;

interface LegendEntry {
  readonly series: Series;
  readonly x: number;
  readonly row: number;
}

/** One after the other, in as many lines as they need; none where there is nothing to tell apart. */
function legendEntries(all: readonly Series[], width: number): LegendEntry[] {
  const named = namedSeries(all);
  if (named.length < 2) return [];
  let [x, row]: [number, number] = [MARGIN.left, 0];
  return named.map((series) => {
    const size = LEGEND.mark + 5 + series.name.length * LETTER;
    if (x > MARGIN.left && x + size > width - 4) [x, row] = [MARGIN.left, row + 1];
    const entry = { series, x, row };
    x += size + LEGEND.gap;
    return entry;
  });
}

function legendMarks({ series, x, row }: LegendEntry, all: readonly Series[]): string {
  const y = 32 + LEGEND.line * row;
  return (
    `<path class="line" style="${strokeStyle(strokeOf(series, all))}" d="M${coordinate(x)} ${y}h${LEGEND.mark}"/>` +
    `<text x="${coordinate(x + LEGEND.mark + 5)}" y="${y + 4}">${escapeMarkup(series.name)}</text>`
  );
}

function yAxis(values: readonly number[], { left, right, y }: Frame): string {
  return values
    .map((v) => {
      const at = coordinate(y(v));
      return `<path class="grid" d="M${left} ${at}H${coordinate(right)}"/><text x="${left - 7}" y="${at}" dy="4" text-anchor="end">${short(v)}</text>`;
    })
    .join('');
}

function xAxis(values: readonly number[], { left, right, base, x }: Frame): string {
  const labels = values.map((v) => {
    const at = coordinate(x(v));
    return `<path class="axis" d="M${at} ${base}v4"/><text x="${at}" y="${base + 17}" text-anchor="middle">${short(v)}</text>`;
  });
  return `<path class="axis" d="M${left} ${base}H${coordinate(right)}"/>${labels.join('')}`;
}

function seriesMarks(series: Series, stroke: Stroke, { x, y }: Frame): string {
  const runs = unbrokenRuns(series.points);
  const band = runs.map((run) => bandPath(run, x, y)).join('');
  const line = runs
    .map((run) => 'M' + run.map((p) => `${coordinate(x(p.x))} ${coordinate(y(p.y))}`).join('L'))
    .join('');
  const dot = runs
    .filter((run) => run.length === 1)
    .map(
      ([p]) =>
        `<circle style="fill:${stroke.color}" cx="${coordinate(x(p!.x))}" cy="${coordinate(y(p!.y))}" r="3"/>`,
    );
  return [
    band === '' ? '' : `<path class="band" style="fill:${stroke.color}" d="${band}"/>`,
    `<path class="${series.behind === undefined ? 'line' : 'line faint'}" style="${strokeStyle(stroke)}" d="${line}"/>`,
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
