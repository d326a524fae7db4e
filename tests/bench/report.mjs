// How every benchmark shows and keeps what it measured.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Rows of text, the first the heading: the first column to the left, all others to the right. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column] + 2)))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes data/results/bench-NAME.json, whole or not at all. */
export async function writeResult(name, result) {
  const target = new URL(`../../data/results/bench-${name}.json`, import.meta.url);
  const file = fileURLToPath(target);
  await mkdir(fileURLToPath(new URL('.', target)), { recursive: true });
  await writeFile(`${file}.tmp`, `${JSON.stringify(result, null, 2)}\n`);
  await rename(`${file}.tmp`, file);
}
