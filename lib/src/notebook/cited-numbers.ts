/** Numbers that a notebook's text cites from recorded results: `{{01:wins.greedy|percent}}`. */
import { duration, percent, percentWithInterval, short } from '../display/index.js';
import type { Notebook, NotebookCell } from './format.js';
import { flattened, isInterval, type ResultInterval, type Results } from './results.js';

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
  /** `0.31 (0.25–0.38)`. */
  interval: ({ value, low, high }) => `${short(value)} (${short(low)}–${short(high)})`,
  /** `31.3 % (25–38)`. */
  percentInterval: ({ value, low, high }) => percentWithInterval(value, low, high),
};

const CITATION = /\{\{([\w-]+):([^{}]*)\}\}/g;
/** A key, perhaps with the end of an interval, and a format. */
const INSIDE = /^([\w-]+(?:\.[\w-]+)*)(?:\|(\w+))?$/;

/** Recorded results by their name; `undefined` where there are none. */
export type FindResults = (name: string) => Results | undefined;

/**
 * The notebook with every citation in its text replaced by its number.
 * @throws Error that names the cell and the key for one that cannot be.
 */
export function fillNumbers(notebook: Notebook, find: FindResults): Notebook {
  const cells = notebook.cells.map((cell): NotebookCell => {
    if (cell.cell_type !== 'markdown') return cell;
    return { ...cell, source: fillText(cell.source, find, `cell ${cell.id}`) };
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
      .map(([line, id]) => [fillText(line, find, `cell ${id}`), line]),
  );
  const cells = notebook.cells.map((cell): NotebookCell => {
    if (cell.cell_type !== 'markdown') return cell;
    const lines = cell.source.split('\n').map((line) => cited.get(line) ?? line);
    return { ...cell, source: lines.join('\n') };
  });
  return { ...notebook, cells };
}

function fillText(text: string, find: FindResults, place: string): string {
  return text.replace(CITATION, (citation, name: string, inside: string) => {
    const problem = (what: string): Error => new Error(`${place}: ${citation}: ${what}`);
    const [, key, format = 'short'] = INSIDE.exec(inside) ?? [];
    if (key === undefined) throw problem('expected {{NAME:key.of.number}} or {{NAME:key.of.number|format}}');
    if (!Object.hasOwn(FORMATS, format))
      throw problem(`"${format}" is no format; choose one of ${Object.keys(FORMATS).join(', ')}`);
    return FORMATS[format]!(resultAt(find(name), key, format, problem));
  });
}

function resultAt(
  results: Results | undefined,
  key: string,
  format: string,
  problem: (what: string) => Error,
): ResultInterval {
  if (results === undefined)
    throw problem('there are no such recorded results; `posttrain notebook run --record` writes them');
  const all = flattened(results);
  const result = all.get(key) ?? endOfInterval(all, key);
  if (result === undefined) throw problem(`there is no "${key}"; there are ${[...all.keys()].join(', ')}`);
  if (isInterval(result)) return result;
  if (format.toLowerCase().includes('interval'))
    throw problem(`"${key}" is a single number, without an interval`);
  return { value: result, low: result, high: result };
}

/** `wins.low` of an interval `wins`. */
function endOfInterval(all: ReadonlyMap<string, number | ResultInterval>, key: string): number | undefined {
  const dot = key.lastIndexOf('.');
  const [parent, end] = [all.get(key.slice(0, Math.max(0, dot))), key.slice(dot + 1)];
  if (!isInterval(parent) || !['value', 'low', 'high'].includes(end)) return undefined;
  return parent[end as keyof ResultInterval];
}
