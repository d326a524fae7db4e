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
  const { width, property, zoom } = page;
  const height = heightOf(data, width);
  return {
    data,
    layout: {
      ...layout,
      width,
      height,
      dragmode: zoom && 'zoom',
      title: {
        text: wrapped(layout.title?.text, width),
        font: { size: 14, weight: 600, color: property('--ink') },
        x: 0,
        xanchor: 'left',
      },
      xaxis: { ...layout.xaxis, title: axisTitle(layout.xaxis, width - 90), automargin: true },
      yaxis: { ...layout.yaxis, title: axisTitle(layout.yaxis, height - 110), automargin: true },
      font: { ...layout.font, family: property('--sans'), size: 13 },
      margin: { t: 48, r: 16, l: 56, b: 56 },
      hoverlabel: {
        bgcolor: property('--panel'),
        bordercolor: property('--line'),
        font: { color: property('--ink') },
      },
    },
  };
}

/** Dots stand in rows of their own; lines want a calm shape. */
function heightOf(data: readonly Trace[], width: number): number {
  const [only] = data;
  if (data.length === 1 && only?.mode === 'markers') return 130 + 34 * (only.y?.length ?? 0);
  return Math.max(300, Math.min(400, Math.round(width * 0.56)));
}

function axisTitle(axis: Axis | undefined, length: number): object {
  return { text: wrapped(axis?.title?.text, length), font: { size: 13 } };
}

/** Of one character of a title, in pixels, about. */
const LETTER = 7.4;

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
