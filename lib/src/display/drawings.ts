import { renderSvg } from '../envs/diagram/svg.js';
import type { Canvas } from '../envs/diagram/types.js';
import { escapeMarkup } from '../markup.js';
import { canvasArt } from './canvas-art.js';
import { fragmentHtml } from './fragment.js';
import type { MimeBundle } from './mime.js';

/** A drawing and what is to be said about it. */
export interface CaptionedCanvas {
  readonly canvas: Canvas;
  readonly caption?: string;
}

/** Whether this is a canvas, and not some other object. */
export function isCanvas(value: unknown): value is Canvas {
  const canvas = value as Partial<Canvas> | null;
  return (
    typeof canvas === 'object' &&
    canvas !== null &&
    Array.isArray(canvas.shapes) &&
    Array.isArray(canvas.edges) &&
    typeof canvas.width === 'number'
  );
}

/** Drawings side by side for a notebook. @param description what a reader who cannot see them is told. */
export function drawingsBundle(drawings: readonly CaptionedCanvas[], description: string): MimeBundle {
  if (drawings.length === 0) throw new Error(`diagram "${description}": there is no canvas to show`);
  const svgs = drawings.map(({ canvas }) => renderSvg(canvas));
  const figures = drawings.map(
    ({ caption = '' }, i) => `<figure>${svgs[i]}<figcaption>${escapeMarkup(caption)}</figcaption></figure>`,
  );
  return {
    'text/html': fragmentHtml(
      `<div class="drawings${drawings.length > 1 ? ' several' : ''}" role="group" aria-label="${escapeMarkup(description)}">${figures.join('')}</div>`,
    ),
    ...(svgs.length === 1 && { 'image/svg+xml': svgs[0]! }),
    'text/plain': drawings.map(drawingText).join('\n\n'),
  };
}

function drawingText({ canvas, caption = '' }: CaptionedCanvas): string {
  return [...(caption === '' ? [] : [caption]), ...canvasArt(canvas)].join('\n');
}
