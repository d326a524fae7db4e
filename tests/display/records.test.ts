import { expect, it } from 'vitest';
import { recordTable } from 'posttrain/display/records';
import { tableToText } from 'posttrain/display/table';
import { isTable, tableBundle } from 'posttrain/display/table-bundle';

const rows = [
  { method: 'SFT', reward: 0.51234, note: null },
  { method: 'GRPO', reward: 1200.7, steps: 60 },
];

it('makes a table of objects: their keys are its header, numbers stand flush right', () => {
  expect(tableToText(recordTable(rows, { caption: 'Two' }))).toBe(
    [
      'Two',
      'method  reward  note  steps',
      '──────  ──────  ────  ─────',
      'SFT      0.512',
      'GRPO      1201           60',
    ].join('\n'),
  );
});

it('takes the columns that are asked for, in that order, and names one that no row has', () => {
  expect(recordTable(rows, { columns: ['steps', 'method'] }).rows).toEqual([
    ['', 'SFT'],
    ['60', 'GRPO'],
  ]);
  expect(() => recordTable(rows, { columns: ['methods'] })).toThrow(
    'table: no row has a column "methods"; the rows have method, reward, note',
  );
});

it('shows the first thousand rows, and says so', () => {
  const { caption, rows } = recordTable(
    Array.from({ length: 1001 }, (_, n) => ({ n })),
    { caption: 'Many' },
  );
  expect([caption, rows.length]).toEqual(['Many: the first 1000 of 1001 rows', 1000]);
});

it('is a bundle for a notebook', () => {
  const table = recordTable([{ name: '<b>' }]);
  expect(isTable(table)).toBe(true);
  expect(isTable({ columns: [1], rows: [] })).toBe(false);
  const bundle = tableBundle(table);
  expect(bundle['text/html']).toContain('<td>&lt;b&gt;</td>');
  expect(bundle['text/plain']).toContain('<b>');
});
