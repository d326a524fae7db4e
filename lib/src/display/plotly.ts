/** Figures in the words of plotly.js (https://plotly.com/javascript/reference/), for front ends that draw these themselves. */
import type { DotPlot } from './dot-plot.js';
import type { Figure } from './figure.js';
import type { LineChart, Point, Series } from './line-chart.js';
import type { MimeObject } from './mime.js';

/** Plotly knows no theme of the page: these keep apart, and stand out at 3:1 or more, on white and on black alike. */
const COLORS = ['#3b82d6', '#d1621f', '#1f9468', '#9a61cf', '#a87b1c'] as const;
const DASHES = ['solid', 'dash', 'dot', 'dashdot'] as const;
const INK = '#7f7f7f';
const GRID = 'rgba(127,127,127,0.25)';

/** The colours of a specification, for a page that knows its theme and puts its own in their place. */
export const PLOTLY_PALETTE: {
  readonly ink: string;
  readonly grid: string;
  readonly series: readonly string[];
} = { ink: INK, grid: GRID, series: COLORS };

/** `undefined` for a figure that plotly.js has no form for. */
export function plotlySpec(figure: Figure): MimeObject | undefined {
  if (figure.type === 'lines') return lineSpec(figure);
  return figure.type === 'dots' ? dotSpec(figure) : undefined;
}

function lineSpec(chart: LineChart): MimeObject {
  const named = chart.series.filter(({ behind }) => behind === undefined).map(({ name }) => name);
  const data = chart.series.flatMap((series) => {
    const index = Math.max(0, named.indexOf(series.behind ?? series.name));
    return [...bandTrace(series, index), lineTrace(series, index)];
  });
  const yaxis = { ...axis(chart.yLabel), ...(chart.yRange && { range: [...chart.yRange] }) };
  return {
    data,
    layout: {
      ...layout(chart),
      xaxis: { ...axis(chart.xLabel), ...(chart.xScale === 'log' && { type: 'log' }) },
      yaxis,
      showlegend: named.length > 1,
      legend: { orientation: 'h', y: -0.2 },
    },
  };
}

function lineTrace({ name, points, behind }: Series, index: number): MimeObject {
  const color = COLORS[index % COLORS.length]!;
  return {
    type: 'scatter',
    mode: points.length === 1 ? 'markers' : 'lines',
    name,
    x: points.map(({ x }) => finite(x)),
    y: points.map(({ y }) => finite(y)),
    line:
      behind === undefined
        ? { color, dash: DASHES[index % DASHES.length]!, width: 2 }
        : { color, width: 1, dash: 'solid' },
    opacity: behind === undefined ? 1 : 0.35,
    showlegend: behind === undefined,
  };
}

function bandTrace({ name, points }: Series, index: number): readonly MimeObject[] {
  const banded = points.filter(
    (point): point is Required<Point> => point.low !== undefined && point.high !== undefined,
  );
  if (banded.length < 2) return [];
  const back = banded.toReversed();
  return [
    {
      type: 'scatter',
      mode: 'lines',
      name: `${name}: interval`,
      x: [...banded, ...back].map(({ x }) => finite(x)),
      y: [...banded.map(({ high }) => finite(high)), ...back.map(({ low }) => finite(low))],
      fill: 'toself',
      fillcolor: COLORS[index % COLORS.length]!,
      opacity: 0.16,
      line: { width: 0 },
      hoverinfo: 'skip',
      showlegend: false,
    },
  ];
}

function dotSpec(plot: DotPlot): MimeObject {
  const above = plot.dots.map(({ value, high = value }) => high - value);
  const below = plot.dots.map(({ value, low = value }) => value - low);
  const trace = {
    type: 'scatter',
    mode: 'markers',
    x: plot.dots.map(({ value }) => finite(value)),
    y: plot.dots.map(({ name }) => name),
    marker: { color: COLORS[0], size: 9 },
    error_x: { type: 'data', symmetric: false, array: above, arrayminus: below, color: COLORS[0] },
  };
  return {
    data: [trace],
    layout: {
      ...layout(plot),
      xaxis: axis(plot.xLabel),
      yaxis: { ...axis(''), autorange: 'reversed', automargin: true },
      showlegend: false,
    },
  };
}

function layout({ title, width }: LineChart | DotPlot): MimeObject {
  return {
    title: { text: title },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { color: INK },
    margin: { t: 48, r: 16 },
    ...(width !== undefined && { width }),
  };
}

function axis(title: string): MimeObject {
  return { title: { text: title }, gridcolor: GRID, zerolinecolor: GRID, linecolor: INK };
}

/** JSON has no NaN; plotly.js breaks the line at null. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
