import { cellWidth, splitCells } from './cells.js';

/** A drawing surface of terminal cells: lines that join by themselves, and characters lying over them. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Per cell the directions in which lines leave it, a sum of the four bits below. */
  readonly lines: Uint8Array;
  /** Per cell the character over the lines; `''` continues a wide character on its left. */
  readonly glyphs: (string | undefined)[];
}

const UP = 1;
const RIGHT = 2;
const DOWN = 4;
const LEFT = 8;

/** The line character for each sum of directions. */
const LINES = ' │─└││┌├─┘─┴┐┤┬┼';

export function createGrid(columns: number, rows: number): Grid {
  return { columns, rows, lines: new Uint8Array(columns * rows), glyphs: Array<undefined>(columns * rows) };
}

/** Puts one character; outside of the grid nothing happens. */
export function put(grid: Grid, column: number, row: number, glyph: string): void {
  if (isInside(grid, column, row)) grid.glyphs[row * grid.columns + column] = glyph;
}

/** Writes text to the right; a wide character takes two cells. */
export function write(grid: Grid, column: number, row: number, text: string): void {
  let at = column;
  for (const character of splitCells(text)) {
    put(grid, at, row, character);
    if (cellWidth(character) === 2) put(grid, at + 1, row, '');
    at += cellWidth(character);
  }
}

export function horizontal(grid: Grid, row: number, from: number, to: number): void {
  const [left, right] = from < to ? [from, to] : [to, from];
  for (let c = left; c <= right; c += 1) join(grid, c, row, (c > left ? LEFT : 0) | (c < right ? RIGHT : 0));
}

export function vertical(grid: Grid, column: number, from: number, to: number): void {
  const [top, bottom] = from < to ? [from, to] : [to, from];
  for (let r = top; r <= bottom; r += 1) join(grid, column, r, (r > top ? UP : 0) | (r < bottom ? DOWN : 0));
}

/** The grid as text, without the blank ends of lines and of the picture. */
export function gridLines(grid: Grid): string[] {
  const lines = Array.from({ length: grid.rows }, (_, row) =>
    Array.from({ length: grid.columns }, (_, column) => {
      const at = row * grid.columns + column;
      return grid.glyphs[at] ?? LINES[grid.lines[at]!]!;
    })
      .join('')
      .trimEnd(),
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

function join(grid: Grid, column: number, row: number, directions: number): void {
  if (!isInside(grid, column, row)) return;
  const at = row * grid.columns + column;
  grid.lines[at] = grid.lines[at]! | directions;
}

function isInside(grid: Grid, column: number, row: number): boolean {
  return column >= 0 && column < grid.columns && row >= 0 && row < grid.rows;
}
