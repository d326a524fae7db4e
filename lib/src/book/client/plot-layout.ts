/** A figure's specification as this page wants it: in its colours, its faces and its width. */
import type { MimeObject } from '../../display/index.js';
import { PLOTLY_PALETTE } from '../../display/plotly.js';

export interface PlotPage {
  /** Of the figure, in pixels. */
  readonly width: number;
  /** A custom property of the page, e.g. `--ink`. */
  readonly property: (name: string) => string;
  /** Whether dragging looks closer. */
  readonly zoom: boolean;
}

export interface Plot {
  readonly data: readonly Trace[];
  readonly layout: object;
}

interface Trace {
  readonly mode?: string;
  readonly y?: readonly unknown[];
}

interface Axis {
  readonly title?: { readonly text?: string };
}

interface Layout {
  readonly title?: { readonly text?: string };
  readonly xaxis?: Axis;
  readonly yaxis?: Axis;
  readonly font?: object;
}

export function plotFor(spec: MimeObject, page: PlotPage): Plot {
  const { data, layout } = recolored(spec, pageColors(page)) as { data: readonly Trace[]; layout: Layout };
  const [only] = data;
  const isDots = data.length === 1 && only?.mode === 'markers';
  return isDots ? dotPlot(only, layout, page) : linePlot(data, layout, page);
}

const SIDES = { top: 48, right: 16, bottom: 44 } as const;
/** Of a line of text, in pixels. */
const LINE = 17;
/** Of one character of a title, in pixels, about. */
const LETTER = 7.4;

/** Lines want a calm shape. */
function linePlot(data: readonly Trace[], layout: Layout, page: PlotPage): Plot {
  const height = Math.max(300, Math.min(400, Math.round(page.width * 0.56)));
  return { data, layout: fitted(layout, page, 64, height) };
}

/** Dots stand in rows of their own, with their names before them: never more than two fifths of the width. */
function dotPlot(dots: Trace, layout: Layout, page: PlotPage): Plot {
  const names = (dots.y ?? []).map((name) => wrapped(String(name), page.width * 0.4));
  const lines = names.map((name) => name.split('<br>'));
  const left = Math.max(0, ...lines.flat().map((line) => line.length)) * LETTER + 10;
  const row = 18 + LINE * Math.max(1, ...lines.map(({ length }) => length));
  const height = SIDES.top + SIDES.bottom + LINE + row * names.length;
  return { data: [{ ...dots, y: names }], layout: fitted(layout, page, left, height) };
}

function fitted(layout: Layout, { width, property, zoom }: PlotPage, left: number, height: number): object {
  const across = width - left - SIDES.right;
  const xTitle = wrapped(layout.xaxis?.title?.text, across);
  const extra = LINE * (xTitle.split('<br>').length - 1);
  return {
    ...layout,
    width,
    height: height + extra,
    dragmode: zoom && 'zoom',
    title: {
      text: wrapped(layout.title?.text, width),
      font: { size: 14, weight: 600, color: property('--ink') },
      x: 0,
      xanchor: 'left',
    },
    xaxis: {
      ...layout.xaxis,
      title: { text: xTitle, font: { size: 13 } },
      nticks: Math.max(4, Math.floor(across / 55)),
      tickangle: 0,
      automargin: true,
    },
    yaxis: {
      ...layout.yaxis,
      title: { text: wrapped(layout.yaxis?.title?.text, height - 110), font: { size: 13 } },
    },
    font: { ...layout.font, family: property('--sans'), size: 13 },
    margin: { t: SIDES.top, r: SIDES.right, l: left, b: SIDES.bottom + extra },
    hoverlabel: {
      bgcolor: property('--panel'),
      bordercolor: property('--line'),
      font: { color: property('--ink') },
    },
  };
}

/** plotly.js cuts what is too long. */
function wrapped(text = '', length: number): string {
  const most = Math.max(12, Math.floor(length / LETTER));
  const lines = text.split(' ').reduce<readonly string[]>((all, word) => {
    const last = all.at(-1);
    if (last === undefined || last.length + word.length >= most) return [...all, word];
    return [...all.slice(0, -1), `${last} ${word}`];
  }, []);
  return lines.join('<br>');
}

/** The page's colours for those that the specification has. */
function pageColors({ property }: PlotPage): ReadonlyMap<string, string> {
  return new Map([
    [PLOTLY_PALETTE.ink, property('--ink-soft')],
    [PLOTLY_PALETTE.grid, property('--line')],
    ...PLOTLY_PALETTE.series.map((color, i) => [color, property(`--series-${i + 1}`)] as const),
  ]);
}

/** A copy with other colours. */
function recolored(value: unknown, colors: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return colors.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => recolored(each, colors));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, recolored(each, colors)]));
}
