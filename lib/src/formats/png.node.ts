/**
 * A canvas as a PNG picture, and back. The picture is that of `renderSvg`, painted by resvg; the drawing travels in it as Excalidraw
 * keeps its own, so that Excalidraw and `fromPng` can open it again. Never part of a reward: fonts differ between machines.
 */
import type { Resvg as ResvgClass } from '@resvg/resvg-js';
import { renderSvg } from '../envs/diagram/svg.js';
import type { Canvas } from '../envs/diagram/types.js';
import { fromExcalidraw } from './excalidraw-import.js';
import { toExcalidraw } from './excalidraw.js';
import type { Imported } from './imported.js';
import { addScene, readScene } from './png-scene.node.js';

export interface PngOptions {
  /** Pixels a unit of the canvas, above 0 and at most 8; default 2, sharp on the screens of today. */
  readonly scale?: number;
  /** CSS colour behind the drawing; default `white`. `transparent` reads well on light and dark pages alike. */
  readonly background?: string;
  /** Files of fonts (TTF, OTF) to use before those of the system. */
  readonly fontFiles?: readonly string[];
  /** Whether to use the fonts of the system; default true. */
  readonly systemFonts?: boolean;
}

export interface Png {
  readonly bytes: Uint8Array;
  /** Characters of labels for which no font was found: they are boxes in the picture, or nothing. */
  readonly missing: readonly string[];
}

type Resvg = typeof ResvgClass;
interface Fonts {
  readonly fontFiles: string[];
  readonly loadSystemFonts: boolean;
}

/**
 * Paints the canvas.
 * @throws Error that says how to install `@resvg/resvg-js`; RangeError for a scale that is out of range.
 */
export async function toPng(canvas: Canvas, options: PngOptions = {}): Promise<Png> {
  const { scale = 2, background = 'white', fontFiles = [], systemFonts = true } = options;
  if (!(scale > 0 && scale <= 8))
    throw new RangeError(`scale is ${scale}; expected a number above 0, at most 8.`);
  const Resvg = await loadResvg();
  const font: Fonts = { fontFiles: [...fontFiles], loadSystemFonts: systemFonts };
  const painter = new Resvg(renderSvg(canvas), {
    font,
    background: background === 'transparent' ? undefined : background,
    fitTo: { mode: 'zoom', value: scale },
  });
  return {
    bytes: addScene(painter.render().asPng(), toExcalidraw(canvas)),
    missing: missingCharacters(Resvg, canvas, font),
  };
}

/** The drawing inside of a PNG by `toPng`, or by Excalidraw with "embed scene". @throws Error in one sentence where there is none. */
export function fromPng(bytes: Uint8Array): Imported {
  return fromExcalidraw(readScene(bytes));
}

async function loadResvg(): Promise<Resvg> {
  try {
    return (await import('@resvg/resvg-js')).Resvg;
  } catch {
    throw new Error(
      'PNG pictures are painted by resvg, which is not installed; run: npm install @resvg/resvg-js@2.6.2',
    );
  }
}

/** A code point that no font has a glyph for. */
const NOBODYS = '\u{10fffd}';

/** resvg says nothing when it has no glyph: it paints the font's box for unknown characters, or without any font nothing at all. */
function missingCharacters(Resvg: Resvg, { shapes, edges }: Canvas, font: Fonts): string[] {
  const text = [...shapes.map((shape) => shape.text), ...edges.map(({ label }) => label)].join('');
  const inked = [...new Set(text)].filter(
    (character) => !/[\s\p{Default_Ignorable_Code_Point}\p{Mark}]/u.test(character),
  );
  const [latin, others] = [inked.filter((c) => c < '\u007f'), inked.filter((c) => c >= '\u007f')];
  const outline = (character: string): string => JSON.stringify(boxOf(Resvg, character, font));
  const unknown = outline(NOBODYS);
  const nothing = JSON.stringify(undefined);
  // one letter stands for the alphabet of programmers, which every font has
  const lost = latin.length > 0 && outline('A') === nothing ? latin : [];
  return [...lost, ...others.filter((character) => [unknown, nothing].includes(outline(character)))];
}

function boxOf(Resvg: Resvg, character: string, font: Fonts): object | undefined {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><text x="8" y="48" font-size="32">&#${character.codePointAt(0)};</text></svg>`;
  const box = new Resvg(svg, { font }).getBBox();
  return box && { x: box.x, y: box.y, width: box.width, height: box.height };
}
