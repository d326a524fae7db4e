/** Shares as numbers with bars: a table that is read as well as looked at. */
import { percent } from '../../display/index.js';
import { escapeMarkup } from '../../markup.js';
import { scrollBox } from './view-html.js';

export interface ShareRow {
  readonly name: string;
  /** What else is known of it, one for each of the plain columns. */
  readonly facts?: readonly string[];
  /** Each from 0 to 1. */
  readonly shares: readonly number[];
}

export interface ShareTable {
  readonly caption: string;
  /** Headers: of the names, of the facts, of the shares. */
  readonly columns: readonly string[];
  readonly rows: readonly ShareRow[];
  /** How a share is written; default: in percent. */
  readonly format?: (share: number) => string;
}

/** The table as HTML; texts are escaped. */
export function shareTable({ caption, columns, rows, format = percent }: ShareTable): string {
  const facts = rows[0]?.facts?.length ?? 0;
  const head = columns.map((column, i) => {
    const numeric = i >= 1 && i <= facts ? ' class="number"' : '';
    return `<th scope="col"${numeric}>${escapeMarkup(column)}</th>`;
  });
  const body = rows.map(({ name, facts = [], shares }) => {
    const plain = facts.map((fact) => `<td class="number">${escapeMarkup(fact)}</td>`).join('');
    return `<tr><th scope="row">${escapeMarkup(name)}</th>${plain}${shares.map((share, i) => shareCell(share, format(share), i)).join('')}</tr>`;
  });
  const table = `<table class="demo-shares"><caption>${escapeMarkup(caption)}</caption><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>`;
  return scrollBox(caption, table);
}

function shareCell(share: number, text: string, column: number): string {
  const width = (100 * Math.min(1, Math.max(0, share))).toFixed(1);
  return `<td><span class="demo-share"><span>${escapeMarkup(text)}</span><span class="demo-bar demo-bar-${column + 1}" style="width:${width}%"></span></span></td>`;
}
