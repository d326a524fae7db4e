/** Numbers that a text cites from recorded results: `{{01:wins.greedy|percent}}`. */
import { duration, percent, percentWithInterval, short } from '../display/index.js';
import type { Notebook, NotebookCell } from './format.js';
import { numberAt } from './result-path.js';
import type { ResultInterval } from './results.js';

/** How a number is written. */
const FORMATS: Readonly<Record<string, (result: ResultInterval) => string>> = {
  /** Three significant digits. */
  short: ({ value }) => short(value),
  /** `0.3125` → `31.3 %`. */
  percent: ({ value }) => percent(value),
  /** `0.3125` → `31 %`. */
  percent0: ({ value }) => percent(value, 0),
  /** `1911.4` → `1,911`. */
  integer: ({ value }) => Math.round(value).toLocaleString('en-GB'),
  /** Two digits after the point. */
  fixed2: ({ value }) => value.toFixed(2),
  /** Of a number of seconds: `75` → `1 min 15 s`. */
  seconds: ({ value }) => duration(1000 * value),
  /** Of a share or a difference of two: `0.168` → `16.8`. */
  points: ({ value }) => points(value),
  /** `0.31 (0.25–0.38)`. */
  interval: ({ value, low, high }) => `${short(value)} (${short(low)}–${short(high)})`,
  /** `31.3 % (25–38)`. */
  percentInterval: ({ value, low, high }) => percentWithInterval(value, low, high),
  /** `16.8 (15.5–18.4)`. */
  pointsInterval: ({ value, low, high }) => `${points(value)} (${points(low)}–${points(high)})`,
};

const points = (share: number): string => (100 * share).toFixed(1);

const CITATION = /\{\{([\w-]+):([^{}]*)\}\}/g;
/** A path, and a format. */
const INSIDE = /^([^|]+)(?:\|([^|]+))?$/;

/** Recorded results by their name; `undefined` where there are none. */
export type FindResults = (name: string) => unknown;

/**
 * The text with every citation replaced by its number.
 * @param onProblem told the citation and what is wrong with it: throws, or returns what to write instead.
 */
export function fillCitations(
  text: string,
  find: FindResults,
  onProblem: (citation: string, problem: string) => string,
): string {
  return text.replace(CITATION, (citation, name: string, inside: string) => {
    try {
      return citedNumber(find(name), inside);
    } catch (error) {
      return onProblem(citation, (error as Error).message);
    }
  });
}

/**
 * The notebook with every citation in its text replaced by its number.
 * @throws Error that names the cell and the key for one that cannot be.
 */
export function fillNumbers(notebook: Notebook, find: FindResults): Notebook {
  const cells = notebook.cells.map((cell): NotebookCell => {
    if (cell.cell_type !== 'markdown') return cell;
    return { ...cell, source: filledCell(cell.source, find, cell.id) };
  });
  return { ...notebook, cells };
}

/**
 * The notebook with its citations back: a line that is what a line of the `source` becomes by filling is that line again.
 * What was edited stays as it was edited.
 */
export function citeNumbers(notebook: Notebook, source: Notebook, find: FindResults): Notebook {
  const cited = new Map(
    source.cells
      .filter(({ cell_type: type }) => type === 'markdown')
      .flatMap((cell) => cell.source.split('\n').map((line) => [line, cell.id] as const))
      .filter(([line]) => line.search(CITATION) !== -1)
      .map(([line, id]) => [filledCell(line, find, id), line]),
  );
  const cells = notebook.cells.map((cell): NotebookCell => {
    if (cell.cell_type !== 'markdown') return cell;
    const lines = cell.source.split('\n').map((line) => cited.get(line) ?? line);
    return { ...cell, source: lines.join('\n') };
  });
  return { ...notebook, cells };
}

function filledCell(text: string, find: FindResults, id: string): string {
  return fillCitations(text, find, (citation, problem) => {
    throw new Error(`cell ${id}: ${citation}: ${problem}`);
  });
}

function citedNumber(results: unknown, inside: string): string {
  const [, path, format = 'short'] = INSIDE.exec(inside) ?? [];
  if (path === undefined)
    throw new Error('expected {{NAME:path.of.number}} or {{NAME:path.of.number|format}}');
  const write = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (write === undefined)
    throw new Error(`"${format}" is no format; choose one of ${Object.keys(FORMATS).join(', ')}`);
  if (results === undefined)
    throw new Error('there are no such recorded results; `posttrain notebook run --record` writes them');
  const { value, low, high } = numberAt(results, path.trim());
  if (low !== undefined && high !== undefined) return write({ value, low, high });
  if (format.toLowerCase().includes('interval'))
    throw new Error(`"${path}" is a single number, without an interval`);
  return write({ value, low: value, high: value });
}
