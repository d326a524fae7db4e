/** The file formats a canvas can be written to and read from, chosen by a file name's ending. */
import { renderSvg } from '../envs/diagram/svg.js';
import type { Canvas } from '../envs/diagram/types.js';
import { fromExcalidraw } from './excalidraw-import.js';
import { toExcalidraw } from './excalidraw.js';
import type { Imported } from './imported.js';
import { fromJsonCanvas, toJsonCanvas } from './json-canvas.js';
import { fromMermaid } from './mermaid-import.js';
import { toMermaid } from './mermaid.js';
import { fromSvg } from './svg-import.js';
import { fromTldraw } from './tldraw-import.js';
import { toTldraw } from './tldraw.js';

export interface DiagramFormat {
  /** With its dot. */
  readonly ending: string;
  /** The program or language, e.g. `Excalidraw`. */
  readonly name: string;
  /** A pure function: equal canvases are equal bytes. */
  readonly write: (canvas: Canvas) => string;
  /** Throws one sentence when the text is not in this format. */
  readonly read: (source: string) => Imported;
}

/**
 * What survives a canvas written and read again:
 *
 * | format      | shapes, labels, arrows | order | ids                    | places and sizes | size of the canvas |
 * | ----------- | ---------------------- | ----- | ---------------------- | ---------------- | ------------------ |
 * | SVG         | yes                    | yes   | yes                    | yes              | yes                |
 * | Excalidraw  | yes                    | yes   | yes                    | yes              | no: it has none    |
 * | tldraw      | yes                    | yes   | yes                    | yes              | no: it has none    |
 * | JSON Canvas | yes                    | yes   | yes                    | yes              | no: it has none    |
 * | Mermaid     | yes, but see below     | no    | but reserved and `a-b` | no: laid out anew | no                |
 *
 * Where the size of the canvas is not kept, it is read as 1600 × 1200, or as large as the drawing needs. Mermaid turns a
 * text shape that names a box into the box's own label, and a group's place among the shapes into nesting.
 */
export const diagramFormats: readonly DiagramFormat[] = [
  { ending: '.svg', name: 'SVG', write: renderSvg, read: fromSvg },
  { ending: '.excalidraw', name: 'Excalidraw', write: toExcalidraw, read: fromExcalidraw },
  { ending: '.tldr', name: 'tldraw', write: toTldraw, read: fromTldraw },
  { ending: '.canvas', name: 'JSON Canvas', write: toJsonCanvas, read: fromJsonCanvas },
  { ending: '.mmd', name: 'Mermaid', write: toMermaid, read: fromMermaid },
];

/** The format of a file by the ending of its name, in either case; `undefined` when none has it. */
export function formatOf(file: string): DiagramFormat | undefined {
  return diagramFormats.find(({ ending }) => file.toLowerCase().endsWith(ending));
}
