// What every benchmark ends with: medians in a table on the terminal, and everything in data/results.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Columns as wide as they must be; the first to the left, numbers to the right. */
export function table(head, rows) {
  const lines = [head, ...rows].map((cells) => cells.map((cell) => cell ?? ''));
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column] + 3)))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** Prints the text and writes `data/results/bench-NAME.json`, which appears whole or not at all. */
export async function report(name, result, text) {
  process.stdout.write(`${result.what}\n\n${text}\n\n`);
  const target = new URL(`../../data/results/bench-${name}.json`, import.meta.url);
  const file = fileURLToPath(target);
  await mkdir(fileURLToPath(new URL('.', target)), { recursive: true });
  await writeFile(`${file}.tmp`, `${JSON.stringify({ node: process.version, ...result }, null, 2)}\n`);
  await rename(`${file}.tmp`, file);
}

/**
 * Asks everyone in turn, so that all see the same spells of a busy machine; a round before the first warms up.
 * @param contestants named functions that do the work once and say how it went
 * @param options.wakeUps how often each does its work, uncounted, when its turn comes: for work that follows on itself in real
 *   use, where a pause in which others ran would be part of the measure (default 0)
 * @param options.inARow how often it then does its work and says how it went (default 1)
 * @returns what each one said, by name
 */
export async function inTurn(contestants, rounds, { wakeUps = 0, inARow = 1 } = {}) {
  const said = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(contestants)) {
      for (let i = 0; i < wakeUps; i += 1) await measure();
      for (let i = 0; i < inARow; i += 1) {
        const result = await measure();
        if (round >= 0) said[name].push(result);
      }
    }
  }
  return said;
}
