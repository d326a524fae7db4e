import { fragmentHtml } from './fragment.js';
import type { MimeBundle } from './mime.js';
import { tableToHtml, tableToText, type Table } from './table.js';

/** The table for a notebook. */
export function tableBundle(table: Table): MimeBundle {
  return {
    'text/html': fragmentHtml(`<div class="scroll" tabindex="0">${tableToHtml(table)}</div>`),
    'text/plain': tableToText(table),
  };
}

/** Whether this is a table, and not some other object. */
export function isTable(value: unknown): value is Table {
  const { columns, rows } = (value ?? {}) as Partial<Table>;
  return (
    Array.isArray(columns) &&
    Array.isArray(rows) &&
    columns.every(
      (column) => typeof (column as Partial<Table['columns'][number]> | null)?.header === 'string',
    ) &&
    rows.every((row) => Array.isArray(row))
  );
}
