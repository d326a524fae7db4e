/** Figures that can be looked into: plotly.js is loaded and draws when one of them scrolls into view, in place of the drawing that is there. */
import type { MimeObject } from '../../display/index.js';
import { PLOTLY_PALETTE } from '../../display/plotly.js';
import { PLOTLY } from '../shell/places.js';
import { all, element } from './elements.js';
import { loadScript } from './scripts.js';
import { onThemeChange } from './theme.js';

/** What is used of plotly.js. */
interface Plotly {
  react(box: HTMLElement, data: unknown, layout: unknown, config: unknown): Promise<unknown>;
  Plots: { resize(box: HTMLElement): void };
}

interface Loaded {
  Plotly?: Plotly;
  posttrainPlots?: Readonly<Record<string, MimeObject>>;
}

/** It begins to draw so far below the window's edge. */
const AHEAD = '300px';

export function startFigures(): void {
  const place = document.querySelector<HTMLElement>('[data-plots]')?.dataset['plots'];
  if (place === undefined) return;
  const drawn: (() => void)[] = [];
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void draw(target as HTMLElement, place).then((again) => again && drawn.push(again));
      }
    },
    { rootMargin: AHEAD },
  );
  for (const figure of all('figure[id]')) observer.observe(figure);
  onThemeChange(() => drawn.forEach((again) => again()));
}

/** Draws the figure; the returned function draws it anew. The drawing that was there stays for print, and when nothing loads. */
async function draw(figure: HTMLElement, place: string): Promise<(() => void) | undefined> {
  const drawing = figure.querySelector<HTMLElement>('.drawing');
  if (!drawing) return undefined;
  try {
    await Promise.all([loadScript(PLOTLY), loadScript(place)]);
  } catch {
    return undefined;
  }
  const { Plotly, posttrainPlots } = globalThis as Loaded;
  const spec = posttrainPlots?.[figure.id];
  if (!Plotly || !spec) return undefined;
  const name = drawing.querySelector('svg')?.getAttribute('aria-label') ?? '';
  const box = element('div', { class: 'plot', role: 'img', 'aria-label': name });
  drawing.before(box);
  figure.classList.add('plotted');
  const again = (): void => void drawIn(Plotly, box, spec);
  again();
  new ResizeObserver(() => Plotly.Plots.resize(box)).observe(box);
  return again;
}

const coarse = matchMedia('(pointer: coarse)');

function drawIn(plotly: Plotly, box: HTMLElement, spec: MimeObject): Promise<unknown> {
  const { data, layout } = recolored(spec, pageColors()) as {
    data: unknown;
    layout: Record<string, unknown>;
  };
  const style = getComputedStyle(document.documentElement);
  const bigger = {
    ...layout,
    width: undefined,
    autosize: true,
    // a finger scrolls the page
    dragmode: coarse.matches ? false : 'zoom',
    font: { ...(layout['font'] as object), family: style.getPropertyValue('--sans'), size: 13 },
    hoverlabel: {
      bgcolor: style.getPropertyValue('--panel'),
      bordercolor: style.getPropertyValue('--line'),
      font: { color: style.getPropertyValue('--ink') },
    },
  };
  return plotly.react(box, data, bigger, { displayModeBar: false, displaylogo: false, doubleClick: 'reset' });
}

/** The page's colours for those that the specification has. */
function pageColors(): ReadonlyMap<string, string> {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  return new Map([
    [PLOTLY_PALETTE.ink, color('--ink-soft')],
    [PLOTLY_PALETTE.grid, color('--line')],
    ...PLOTLY_PALETTE.series.map((each, i) => [each, color(`--series-${i + 1}`)] as const),
  ]);
}

/** A copy with other colours. */
function recolored(value: unknown, colors: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return colors.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => recolored(each, colors));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, recolored(each, colors)]));
}
