import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { diagramFormats, type DiagramFormat } from 'posttrain/formats';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { canvases } from '../envs/arbitraries.js';
import { graphOf } from './graph.js';
import { awkwardLabels, busy, labelled, realDrawings, small } from './canvases.js';

const lossless = diagramFormats.filter(({ ending }) => ending !== '.mmd');
const mermaid = diagramFormats.find(({ ending }) => ending === '.mmd')!;
const formats = diagramFormats.map((format): [string, DiagramFormat] => [format.name, format]);

function expectRoundTrip({ write, read, ending }: DiagramFormat, canvas: Canvas): void {
  const written = write(canvas);
  expect(write(structuredClone(canvas))).toBe(written);
  const { canvas: back, dropped } = read(written);
  expect(dropped).toEqual([]);
  if (ending === '.mmd') expect(graphOf(back)).toEqual(graphOf(canvas));
  else expect(back).toEqual(canvas);
}

describe.each(formats)('%s', (_name, format) => {
  test.each([
    ['an empty canvas', emptyCanvas()],
    ['a small one', small],
    ['a busy one', busy],
  ])('%s comes back', (_what, canvas) => {
    expectRoundTrip(format, canvas);
  });

  test.each(realDrawings)('the drawing of $id comes back', ({ canvas }) => {
    expectRoundTrip(format, canvas);
  });

  test.each(awkwardLabels)('the label %j comes back', (label) => {
    expectRoundTrip(format, labelled(label));
  });

  test('two hundred shapes and arrows keep their order', () => {
    const shapes = Array.from({ length: 200 }, (_, i) => {
      const place = { x: (i % 20) * 70, y: Math.floor(i / 20) * 60, width: 40, height: 40 };
      return { id: `n${i}`, shape: 'rectangle', ...place, text: `${i}` } as const;
    });
    const edges = shapes.slice(1).map(({ id }, i) => ({ from: `n${i}`, to: id, label: '' }));
    const canvas = { ...emptyCanvas(), shapes, edges };
    const back = format.read(format.write(canvas)).canvas;
    expect(back.edges).toEqual(canvas.edges);
    expect(back.shapes.map(({ id }) => id)).toEqual(canvas.shapes.map(({ id }) => id));
  });

  test('no label can make a file that does not read', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(text, (label) => {
        const shape = {
          id: 'a',
          shape: 'rectangle',
          x: 0,
          y: 0,
          width: 200,
          height: 60,
          text: label,
        } as const;
        format.read(format.write({ ...emptyCanvas(), shapes: [shape] }));
      }),
      { numRuns: 200 },
    );
  });
});

test.each(lossless.map((format): [string, DiagramFormat] => [format.name, format]))(
  '%s brings back whatever a policy can draw',
  (_name, format) => {
    fc.assert(
      fc.property(canvases, (canvas) => expectRoundTrip(format, canvas)),
      { numRuns: 300 },
    );
  },
);

test('Mermaid brings back every arrow and label that a policy can draw, and says the same when written again', () => {
  fc.assert(
    fc.property(canvases, (canvas) => {
      const { canvas: back, dropped } = mermaid.read(mermaid.write(canvas));
      expect(dropped).toEqual([]);
      expect(graphOf(back).arrows).toEqual(graphOf(canvas).arrows);
    }),
    { numRuns: 100 },
  );
});
