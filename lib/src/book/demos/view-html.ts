/** Views as HTML for the page. */
import { figureSvg, figureTable, tableToHtml, type Figure } from '../../display/index.js';
import { escapeMarkup } from '../../markup.js';
import type { View } from './demo.js';

/** Of charts, pixels. The page's style shows the one that there is room for: scaled down, their text would be too small to read. */
const WIDTHS = { wide: 600, narrow: 316 } as const;

/** @param id no other view of the page has it */
export function viewHtml(view: View, id: string): string {
  const { half = false } = view;
  const html = withOwnIds(contentOf(view, half), id);
  return half ? `<div class="demo-half">${html}</div>` : html;
}

function contentOf(view: View, half: boolean): string {
  if ('figure' in view) return figureHtml(view.figure, half);
  if ('svg' in view)
    return `<div class="demo-drawing" role="img" aria-label="${escapeMarkup(view.alt)}">${view.svg}</div>`;
  return 'html' in view ? view.html : `<p>${escapeMarkup(view.text)}</p>`;
}

function figureHtml(figure: Figure, half: boolean): string {
  const data = `<details class="demo-data"><summary>Numbers</summary>${scrollBox(figure.title, tableToHtml(figureTable(figure)))}</details>`;
  if (figure.type !== 'lines' && figure.type !== 'dots')
    return scrollBox(figure.title, namedSvg(figure)) + data;
  const narrow = namedSvg({ ...figure, width: WIDTHS.narrow });
  if (half) return narrow + data;
  const wide = namedSvg({ ...figure, width: WIDTHS.wide });
  return `<div class="demo-wide">${wide}</div><div class="demo-narrow">${narrow}</div>${data}`;
}

function namedSvg(figure: Figure): string {
  const told = escapeMarkup(`${figure.title}. ${figure.description}`);
  return figureSvg(figure).replace('role="img"', `role="img" aria-label="${told}"`);
}

/** What is too wide for the page scrolls by itself, by keyboard too. */
export function scrollBox(name: string, html: string): string {
  return `<div class="demo-scroll" tabindex="0" role="group" aria-label="${escapeMarkup(name)}">${html}</div>`;
}

/** Drawings name their arrow head; two of them on a page must not share the name. */
function withOwnIds(html: string, id: string): string {
  let drawing = 0;
  return html.replace(/(id="|url\(#)posttrain-arrow/g, (_, before: string) => {
    if (before === 'id="') drawing += 1;
    return `${before}${id}-arrow-${drawing}`;
  });
}
