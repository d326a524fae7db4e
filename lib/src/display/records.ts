import { short } from './format.js';
import type { Table } from './table.js';

/** A row by its columns' names. `null`, or a name that is left out: an empty cell. */
export type TableRecord = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface RecordTableOptions {
  readonly caption?: string;
  /** Which columns, in which order; default: all, as they come. */
  readonly columns?: readonly string[];
}

/** Most rows that are shown; nobody reads more. */
const MOST_ROWS = 1000;

/**
 * Objects as a table: their keys are its header, and numbers stand flush right, as `short` writes them. Of more than 1000 rows the first
 * are shown, and the caption says so.
 * @throws Error for a column that no row has.
 */
export function recordTable(
  records: readonly TableRecord[],
  { caption, columns }: RecordTableOptions = {},
): Table {
  const names = columns ?? [...new Set(records.flatMap((record) => Object.keys(record)))];
  const unknown = names.find((name) => !records.some((record) => name in record));
  if (unknown !== undefined && records.length > 0)
    throw new Error(
      `table: no row has a column "${unknown}"; the rows have ${Object.keys(records[0]!).join(', ')}`,
    );
  const left = records.length > MOST_ROWS ? `the first ${MOST_ROWS} of ${records.length} rows` : undefined;
  const captions = [caption, left].filter((part) => part !== undefined);
  return {
    ...(captions.length > 0 && { caption: captions.join(': ') }),
    columns: names.map((header) => ({ header, align: isNumeric(records, header) ? 'right' : 'left' })),
    rows: records.slice(0, MOST_ROWS).map((record) => names.map((name) => cellText(record[name]))),
  };
}

function isNumeric(records: readonly TableRecord[], name: string): boolean {
  const values = records
    .map((record) => record[name])
    .filter((value) => value !== null && value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

function cellText(value: TableRecord[string]): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? short(value) : String(value);
}
