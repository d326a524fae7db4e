import {
  figureSvg,
  figureTable,
  plotlySpec,
  tableToHtml,
  type Figure,
  type MimeObject,
} from '../display/index.js';
import { escapeMarkup } from '../markup.js';

export interface FigureFrame {
  readonly id: string;
  /** `3.1` */
  readonly number: string;
  readonly alt: string;
  /** HTML. */
  readonly caption: string;
}

/** A figure with its drawing, its data to read, and what plotly.js needs to draw it anew. @throws Error for one that cannot be drawn. */
export function figureHtml(
  figure: Figure,
  frame: FigureFrame,
): { readonly html: string; readonly plot: MimeObject | undefined } {
  const table = tableToHtml(figureTable(figure))
    .replaceAll('<th>', '<th scope="col">')
    .replaceAll('<th class', '<th scope="col" class');
  const data = `<details class="figure-data"><summary>Data</summary>${scrolling(table, `Data of figure ${frame.number}`)}</details>`;
  return { html: framed(figureSvg(figure), data, frame), plot: plotlySpec(figure) };
}

/**
 * A drawing that an experiment has left, or a diagram. It takes its colours from the page instead of those that travel inside it, and its
 * anchors are its own.
 */
export function drawingHtml(svg: string, frame: FigureFrame): string {
  const bare = svg
    .trim()
    .replace(/<(style|metadata|desc)>[\s\S]*?<\/\1>\s*/g, '')
    .replace(/^<svg\b[^>]*>/, (start) => start.replace(/ aria-label="[^"]*"/, ''))
    .replace(/ id="([^"]*)"/g, ` id="${frame.id}-$1"`)
    .replace(/url\(#([^)]*)\)/g, `url(#${frame.id}-$1)`);
  return framed(bare, '', frame);
}

function framed(svg: string, data: string, { id, number, alt, caption }: FigureFrame): string {
  const labelled = svg.replace(/^<svg\b/, `<svg aria-label="${escapeMarkup(alt)}"`);
  return (
    `<figure class="figure" id="${id}"><div class="drawing scroll" tabindex="0" role="group" aria-label="Figure ${number}">${labelled}</div>\n` +
    `<figcaption><a class="figure-number" href="#${id}">Figure ${number}.</a> ${caption}</figcaption>${data}</figure>\n`
  );
}

/** A box that is as wide as the page and scrolls, also by keyboard. */
export function scrolling(html: string, label: string): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeMarkup(label)}">${html}</div>`;
}
