import { lineWidth } from '../envs/diagram/text-metrics.js';

/** Text in terminal cells: East-Asian wide characters and emoji take two, combining marks none. */

const NARROW = lineWidth('a');

/** Cells the text takes on a terminal. Control characters take none: they are never printed. */
export function cellWidth(text: string): number {
  let cells = 0;
  for (const character of text) cells += characterCells(character);
  return cells;
}

/** What can be put into cells one by one: a character with the marks that follow it. Control characters are dropped. */
export function splitCells(text: string): string[] {
  const parts: string[] = [];
  for (const character of text) {
    if (isControl(character)) continue;
    if (characterCells(character) === 0 && parts.length > 0) parts[parts.length - 1] += character;
    else parts.push(character);
  }
  return parts;
}

/** The text if it fits, else its beginning and `…`; on one line (breaks become blanks), safe to print. */
export function fitToWidth(text: string, width: number): string {
  const parts = splitCells(text.replace(/\s*\n\s*/g, ' '));
  const whole = parts.join('');
  if (cellWidth(whole) <= width) return whole;
  let kept = '';
  let cells = 0;
  for (const part of parts) {
    const next = cells + cellWidth(part);
    if (next > width - 1) break;
    kept += part;
    cells = next;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** The text with blanks up to `width` cells; longer text is left alone. */
export function padToWidth(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - cellWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

function characterCells(character: string): number {
  if (isControl(character)) return 0;
  const width = lineWidth(character);
  return width === 0 ? 0 : width > NARROW ? 2 : 1;
}

function isControl(character: string): boolean {
  return /\p{Cc}/u.test(character);
}
