import { coordinate, escapeMarkup } from '../markup.js';
import { short } from './format.js';
import { linearScale, niceInterval, ticks } from './scale.js';
import { seriesColor } from './theme.js';

export interface Dot {
  readonly name: string;
  readonly value: number;
  /** Both set: a bar is drawn between them (an interval, or the range over seeds). */
  readonly low?: number;
  readonly high?: number;
}

/** Numbers that have names instead of an order: one row each. */
export interface DotPlot {
  readonly title: string;
  /** What a reader who cannot see the plot should know. */
  readonly description: string;
  readonly xLabel: string;
  readonly dots: readonly Dot[];
  /** Pixels; 460 by default. */
  readonly width?: number;
}

const MARGIN = { top: 34, right: 20, bottom: 42 } as const;
const ROW = 24;
const LETTER = 6.6;

/** The plot as one `<svg>` element; same data, same bytes. Throws when a value cannot be placed on the axis. */
export function dotPlot(plot: DotPlot): string {
  const { dots, width = 460 } = plot;
  const values = dots.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  checkValues(plot, values);
  const left = 16 + LETTER * Math.max(...dots.map(({ name }) => name.length));
  const height = MARGIN.top + ROW * dots.length + MARGIN.bottom;
  const domain = niceInterval(Math.min(...values), Math.max(...values));
  const position = linearScale(domain, [left, width - MARGIN.right]);
  const base = height - MARGIN.bottom;
  const grid = ticks(...domain).map((mark) => {
    const at = coordinate(position(mark));
    return `<path class="grid" d="M${at} ${MARGIN.top}V${base}"/><text x="${at}" y="${base + 17}" text-anchor="middle">${short(mark)}</text>`;
  });
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapeMarkup(plot.title)}</title><desc>${escapeMarkup(plot.description)}</desc>`,
    `<text class="chart-title" x="8" y="18">${escapeMarkup(plot.title)}</text>`,
    ...grid,
    `<path class="axis" d="M${coordinate(left)} ${base}H${width - MARGIN.right}"/>`,
    `<text x="${coordinate((left + width - MARGIN.right) / 2)}" y="${height - 6}" text-anchor="middle">${escapeMarkup(plot.xLabel)}</text>`,
    ...dots.map((dot, row) => dotMarks(dot, MARGIN.top + ROW * (row + 0.5), left, position)),
    '</svg>',
  ].join('');
}

function checkValues({ title }: DotPlot, values: readonly number[]): void {
  if (values.length === 0)
    throw new Error(`dot plot "${title}": there is no dot; draw it once there is data`);
  const bad = values.find((value) => !Number.isFinite(value));
  if (bad !== undefined)
    throw new Error(`dot plot "${title}": ${bad} has no place on the axis; expected finite numbers`);
}

function dotMarks(
  { name, value, low, high }: Dot,
  y: number,
  left: number,
  position: (value: number) => number,
): string {
  const color = seriesColor(0);
  const bar =
    low === undefined || high === undefined
      ? ''
      : `<path class="line" style="stroke:${color};stroke-width:6;opacity:.35" d="M${coordinate(position(low))} ${coordinate(y)}H${coordinate(position(high))}"/>`;
  return (
    `<text x="${coordinate(left - 8)}" y="${coordinate(y + 4)}" text-anchor="end">${escapeMarkup(name)}</text>${bar}` +
    `<circle style="fill:${color}" cx="${coordinate(position(value))}" cy="${coordinate(y)}" r="4"/>`
  );
}
