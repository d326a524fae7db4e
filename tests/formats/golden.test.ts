import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diagramFormats, formatOf } from 'posttrain/formats';
import { graphOf } from './graph.js';
import { small } from './canvases.js';

/** Files written by hand from the formats' descriptions. */
const golden = (ending: string): string =>
  readFileSync(new URL(`golden/small${ending}`, import.meta.url), 'utf8');

describe('the small canvas', () => {
  test.each(['.excalidraw', '.tldr', '.canvas'])('is written as small%s and read from it', (ending) => {
    const { write, read } = formatOf(ending)!;
    expect(JSON.parse(write(small))).toEqual(JSON.parse(golden(ending)));
    expect(read(golden(ending))).toEqual({ canvas: small, dropped: [] });
  });

  test('is written as small.mmd, and laid out anew when read from it', () => {
    const { write, read } = formatOf('.mmd')!;
    expect(write(small)).toBe(golden('.mmd'));
    const { canvas, dropped } = read(golden('.mmd'));
    expect(graphOf(canvas)).toEqual(graphOf(small));
    expect(canvas.shapes.map(({ id }) => id)).toEqual(['a', 'd', 't']);
    expect(dropped).toEqual([]);
  });
});

test('formats are found by the ending of a file name, in either case', () => {
  expect(diagramFormats.map(({ ending }) => formatOf(`my.drawing${ending}`)?.ending)).toEqual(
    diagramFormats.map(({ ending }) => ending),
  );
  expect(formatOf('A.SVG')?.name).toBe('SVG');
  expect([formatOf('a.png'), formatOf('svg'), formatOf('')]).toEqual([undefined, undefined, undefined]);
});
