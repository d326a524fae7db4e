/** Figures that can be looked into: plotly.js is loaded and draws when one of them scrolls into view, in place of the drawing that is there. */
import type { MimeObject } from '../../display/index.js';
import { PLOTLY } from '../shell/places.js';
import { all, element } from './elements.js';
import { plotFor } from './plot-layout.js';
import { loadScript } from './scripts.js';
import { onThemeChange } from './theme.js';

/** What is used of plotly.js. */
interface Plotly {
  react(box: HTMLElement, data: unknown, layout: unknown, config: unknown): Promise<unknown>;
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
  onWidthChange(box, again);
  return again;
}

/** Also says the first width. */
function onWidthChange(box: HTMLElement, act: () => void): void {
  let known = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === known || box.clientWidth === 0) return;
    known = box.clientWidth;
    act();
  }).observe(box);
}

const coarse = matchMedia('(pointer: coarse)');

function drawIn(plotly: Plotly, box: HTMLElement, spec: MimeObject): Promise<unknown> {
  const style = getComputedStyle(document.documentElement);
  const { data, layout } = plotFor(spec, {
    width: box.clientWidth,
    property: (name) => style.getPropertyValue(name).trim(),
    // a finger scrolls the page
    zoom: !coarse.matches,
  });
  return plotly.react(box, data, layout, { displayModeBar: false, doubleClick: 'reset' });
}
