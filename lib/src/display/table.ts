import { escapeMarkup } from '../markup.js';
import { cellWidth, padToWidth } from './cells.js';

export interface Column {
  readonly header: string;
  /** Numbers read best flush right; default `left`. */
  readonly align?: 'left' | 'right';
}

/** One description, two looks: `tableToHtml` for pages and notebooks, `tableToText` for the terminal. */
export interface Table {
  readonly caption?: string;
  readonly columns: readonly Column[];
  /** One string a column; `''` where there is nothing to say. */
  readonly rows: readonly (readonly string[])[];
}

/** The table as HTML; every cell is escaped. Throws when a row has more or fewer cells than there are columns. */
export function tableToHtml(table: Table): string {
  checkShape(table);
  const cells = (row: readonly string[], tag: 'td' | 'th'): string =>
    row.map((text, i) => `<${tag}${numeric(table.columns[i]!)}>${escapeMarkup(text)}</${tag}>`).join('');
  const caption = table.caption === undefined ? '' : `<caption>${escapeMarkup(table.caption)}</caption>`;
  const head = cells(
    table.columns.map((c) => c.header),
    'th',
  );
  const body = table.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<table>${caption}<thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`;
}

/** The table as lines for a fixed-width terminal; columns as wide as their widest cell, CJK counted double. */
export function tableToText(table: Table): string {
  checkShape(table);
  const rows = [table.columns.map((c) => c.header), ...table.rows];
  const widths = table.columns.map((_, i) => Math.max(...rows.map((row) => cellWidth(row[i]!))));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => padToWidth(cell, widths[i]!, table.columns[i]!.align))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [...(table.caption === undefined ? [] : [table.caption]), lines[0]!, rule, ...lines.slice(1)].join(
    '\n',
  );
}

function checkShape({ columns, rows }: Table): void {
  rows.forEach((row, i) => {
    if (row.length !== columns.length) {
      throw new RangeError(`table row ${i} has ${row.length} cells, but there are ${columns.length} columns`);
    }
  });
}

function numeric(column: Column): string {
  return column.align === 'right' ? ' class="number"' : '';
}
