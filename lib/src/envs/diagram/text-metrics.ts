/**
 * How much room text takes: a fixed table instead of a font, so that every machine, browser and reward agrees to the pixel.
 *
 * A label that fits here fits on screen: common sans-serif fonts are narrower (about 0.58 em a Latin letter).
 */
import type { Shape, ShapeKind } from './types.js';

/** Pixels. */
export const FONT_SIZE = 16;
/** Pixels from one baseline to the next. */
export const LINE_HEIGHT = 20;
/** Pixels between a label and the inner border of its shape, on every side. */
export const LABEL_PADDING = 5;

export interface Size {
  readonly width: number;
  readonly height: number;
}

const NARROW = 6;
const WIDE = 10;

/** East-Asian wide and full-width blocks, and the pictograph planes: `[first, last]`, ascending. */
const WIDE_BLOCKS: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f], // Hangul initial consonants
  [0x2329, 0x232a], // angle brackets
  [0x2e80, 0x303e], // radicals, CJK punctuation
  [0x3041, 0xa4cf], // kana, CJK ideographs, Yi
  [0xa960, 0xa97f], // Hangul extended
  [0xac00, 0xd7a3], // Hangul syllables
  [0xf900, 0xfaff], // compatibility ideographs
  [0xfe10, 0xfe19], // vertical forms
  [0xfe30, 0xfe6f], // compatibility forms
  [0xff01, 0xff60], // full-width forms
  [0xffe0, 0xffe6], // full-width signs
  [0x16fe0, 0x18dff], // Tangut, Khitan
  [0x1aff0, 0x1b2ff], // historic kana, Nushu
  [0x1f000, 0x1faff], // emoji and pictographs
  [0x20000, 0x3fffd], // ideographs beyond the basic plane
];

const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
const EMOJI = /\p{Emoji}/u;
const ZERO_WIDTH_JOINER = '\u200d';

/** Width of one character in tenths of an em: 0 (combining, zero-width), 6, or 10 (East-Asian wide, emoji). */
function tenthsOfEm(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return code === 0xad ? 0 : NARROW;
  if (ZERO_WIDTH.test(character)) return 0;
  if (WIDE_BLOCKS.some(([first, last]) => code >= first && code <= last)) return WIDE;
  return code >= 0x2300 && EMOJI.test(character) ? WIDE : NARROW;
}

/** Width of one line of text, in pixels. Tenths are added as integers, so the sum has no rounding drift. */
export function lineWidth(line: string): number {
  let tenths = 0;
  for (const character of line) tenths += tenthsOfEm(character);
  return (tenths * FONT_SIZE) / 10;
}

/** Whether anything would be seen: false when only spaces, combining and zero-width characters remain. */
export function isVisible(text: string): boolean {
  for (const character of text) {
    if (character.trim() !== '' && !INVISIBLE.test(character)) return true;
  }
  return false;
}

/** Zero-width characters, and the fillers that have a width but no ink. */
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}\u115f-\u11ff\u2800\u3164\uffa0]/u;

interface Unit {
  text: string;
  width: number;
  /** A space stands before it (and is dropped when the line breaks there). */
  readonly spaced: boolean;
}

/** What may not be torn apart: a Latin word, one wide character, a joined emoji; combining marks stay with their base. */
function units(line: string): Unit[] {
  const result: Unit[] = [];
  let spaced = false;
  let previousWide = false;
  for (const character of line) {
    if (character === ' ') {
      spaced = true;
      continue;
    }
    const width = tenthsOfEm(character);
    const last = result.at(-1);
    const joins =
      last !== undefined &&
      !spaced &&
      (width === 0 || last.text.endsWith(ZERO_WIDTH_JOINER) || (width === NARROW && !previousWide));
    if (joins) {
      last.text += character;
      last.width += width;
    } else {
      result.push({ text: character, width, spaced });
    }
    if (width > 0) previousWide = width === WIDE;
    spaced = false;
  }
  return result;
}

/**
 * Breaks a label into lines no wider than `maxWidth` pixels: at spaces for Latin text, between any two characters for
 * CJK; `\n` always breaks. A single word wider than that keeps its line and sticks out: text is never cut.
 */
export function wrapLabel(text: string, maxWidth: number): readonly string[] {
  const limit = (maxWidth * 10) / FONT_SIZE;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    let width = 0;
    for (const unit of units(paragraph)) {
      const space = unit.spaced && line !== '' ? NARROW : 0;
      if (line !== '' && width + space + unit.width > limit) {
        lines.push(line);
        line = unit.text;
        width = unit.width;
      } else {
        line += (space > 0 ? ' ' : '') + unit.text;
        width += space + unit.width;
      }
    }
    lines.push(line);
  }
  return lines;
}

/** Size of text that breaks only at `\n`, in whole pixels (rounded up). */
export function textSize(text: string): Size {
  const lines = text.split('\n');
  return {
    width: Math.ceil(Math.max(...lines.map(lineWidth))),
    height: lines.length * LINE_HEIGHT,
  };
}

/** The rectangle a label may use inside a shape of this size (the same limits Excalidraw has for bound text). */
export function innerArea(shape: ShapeKind, width: number, height: number): Size {
  if (shape === 'text') return { width, height };
  const share = shape === 'ellipse' ? Math.SQRT1_2 : shape === 'diamond' ? 0.5 : 1;
  return { width: width * share - 2 * LABEL_PADDING, height: height * share - 2 * LABEL_PADDING };
}

type Labelled = Pick<Shape, 'shape' | 'width' | 'height' | 'text'>;

/** The lines in which a shape's own label is drawn; none when it has no label. */
export function labelLines(shape: Labelled): readonly string[] {
  if (shape.text === '') return [];
  if (shape.shape === 'text') return shape.text.split('\n');
  return wrapLabel(shape.text, innerArea(shape.shape, shape.width, shape.height).width);
}

/** Whether the shape's own label, wrapped, stays inside the inner area. A shape without a label fits. */
export function labelFits(shape: Labelled): boolean {
  if (shape.text === '') return true;
  const inner = innerArea(shape.shape, shape.width, shape.height);
  const lines = labelLines(shape);
  return lines.length * LINE_HEIGHT <= inner.height && lines.every((line) => lineWidth(line) <= inner.width);
}
