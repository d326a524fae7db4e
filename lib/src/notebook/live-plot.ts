import { figureBundle, fragmentHtml, type LineChart, type MimeBundle, type Point } from '../display/index.js';
import { escapeMarkup } from '../markup.js';
import { shownAlready, type Displayable } from './display.js';
import { present } from './present.js';
import { throttled } from './throttled.js';

export interface LivePlotOptions extends Omit<LineChart, 'series'> {
  /** Names of the lines. */
  readonly series: readonly string[];
}

/** A chart that grows while something trains. */
export interface LivePlot<Name extends string = string> extends Displayable {
  /**
   * Adds a point to each line that has a value; the chart is drawn anew at most ten times a second. An `x` that is not beyond the last one
   * begins the chart anew: its cell runs again.
   * @throws RangeError for an `x` that is not finite; Error for a name that is no line of the chart.
   */
  add(x: number, values: Readonly<Partial<Record<Name, number | null>>>): void;
}

/**
 * Shows a line chart, empty at first, below the cell.
 *
 * `const plot = livePlot({ title, description, xLabel, yLabel, series: ['reward'] }); plot.add(step, { reward });`
 */
export function livePlot<const Name extends string>(
  options: LivePlotOptions & { readonly series: readonly Name[] },
): LivePlot<Name> {
  const { series: names, ...chart } = options;
  const lines = new Map(names.map((name) => [name as string, [] as Point[]]));
  if (lines.size === 0)
    throw new Error(`live plot "${chart.title}": it needs the name of at least one series`);
  let lastX = -Infinity;
  let hasPoint = false;
  const bundle = (): MimeBundle =>
    figureBundle({
      ...chart,
      type: 'lines',
      series: [...lines].map(([name, points]) => ({ name, points })),
    });
  const presented = present(emptyBundle(chart.title));
  const redraw = throttled(() => presented.update(bundle()));
  return {
    ...shownAlready,
    add: (x, values) => {
      if (!Number.isFinite(x))
        throw new RangeError(`live plot "${chart.title}": x is ${x}; expected a number`);
      if (x <= lastX) for (const points of lines.values()) points.length = 0;
      lastX = x;
      for (const [name, y] of Object.entries<number | null | undefined>(values)) {
        const points = lines.get(name);
        if (points === undefined)
          throw new Error(
            `live plot "${chart.title}": "${name}" is no series of it; it has ${names.join(', ')}`,
          );
        if (y === null || y === undefined) continue;
        points.push({ x, y });
        hasPoint ||= Number.isFinite(y);
      }
      if (hasPoint) redraw.request();
    },
  };
}

/** In a terminal there is nothing to see yet. */
function emptyBundle(title: string): MimeBundle {
  const text = escapeMarkup(`${title}: waiting for the first point`);
  return { 'text/html': fragmentHtml(`<p class="soft">${text}</p>`), 'text/plain': '' };
}
