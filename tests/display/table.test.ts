import { describe, expect, it } from 'vitest';
import { tableToHtml, tableToText, type Table } from 'posttrain/display/table';

const table: Table = {
  caption: 'Success',
  columns: [{ header: 'split' }, { header: 'SFT', align: 'right' }],
  rows: [
    ['id', '31.0 %'],
    ['数据', '<7 %'],
  ],
};

describe('one table, two looks', () => {
  it('as terminal lines: columns aligned, wide characters counted double', () => {
    expect(tableToText(table).split('\n')).toEqual([
      'Success',
      'split     SFT',
      '─────  ──────',
      'id     31.0 %',
      '数据     <7 %',
    ]);
  });

  it('as HTML, escaped', () => {
    const html = tableToHtml(table);
    expect(html).toContain('<caption>Success</caption>');
    expect(html).toContain('<th class="number">SFT</th>');
    expect(html).toContain('<td class="number">&lt;7 %</td>');
  });

  it('refuses a row that does not fit', () => {
    expect(() => tableToText({ ...table, rows: [['a']] })).toThrow(
      /row 0 has 1 cells, but there are 2 columns/,
    );
  });
});
