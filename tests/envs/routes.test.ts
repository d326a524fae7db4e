import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gap, overlapArea, pointAt } from 'posttrain/envs/diagram/geometry';
import { arrowsCross, drawEdges, runsThrough, type DrawnEdge } from 'posttrain/envs/diagram/routes';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { canvases } from './arbitraries.js';
import { arrow, box, canvasOf } from './build.js';

const lineOf = (
  drawn: DrawnEdge | undefined,
): { start: { x: number; y: number }; end: { x: number; y: number } } => {
  if (drawn?.route?.kind !== 'line') throw new Error('expected a line');
  return drawn.route.segment;
};
const loopOf = (drawn: DrawnEdge | undefined): Extract<NonNullable<DrawnEdge['route']>, { kind: 'loop' }> => {
  if (drawn?.route?.kind !== 'loop') throw new Error('expected a loop');
  return drawn.route;
};

const A = box('a', [100, 100, 160, 60]);
const B = box('b', [400, 100, 160, 60]);

describe('single arrows', () => {
  test('run from centre to centre, clipped at both borders', () => {
    const [drawn] = drawEdges(canvasOf(A, B, arrow('a>b', 'reads')));
    expect(lineOf(drawn)).toEqual({ start: { x: 260, y: 130 }, end: { x: 400, y: 130 } });
    expect(drawn?.length).toBe(140);
    expect(drawn?.labelBox).toEqual({ x: 330 - 24, y: 120, width: 48, height: 20 });
  });

  test('clip at the outline of the shape, not at its box', () => {
    const round = box('a', [0, 0, 100, 100], undefined, 'ellipse');
    const pointed = box('b', [200, 200, 100, 100], undefined, 'diamond');
    const { start, end } = lineOf(drawEdges(canvasOf(round, pointed, arrow('a>b')))[0]);
    expect(start.x).toBeCloseTo(50 + 50 * Math.SQRT1_2, 9);
    expect(end.x).toBeCloseTo(225, 9);
  });

  test('are hidden when their ends overlap at the centres or lie inside each other', () => {
    const canvas = canvasOf(
      A,
      box('c', [120, 110, 30, 30]),
      box('d', [110, 100, 160, 60]),
      arrow('a>c'),
      arrow('a>d'),
    );
    expect(
      drawEdges(canvas).map(({ route, segments, length, labelBox }) => [route, segments, length, labelBox]),
    ).toEqual([
      [null, [], 0, null],
      [null, [], 0, null],
    ]);
  });

  test('do not depend on other shapes or on the order of creation', () => {
    const one = drawEdges(canvasOf(A, B, arrow('a>b')))[0];
    const two = drawEdges(canvasOf(B, box('z', [0, 0, 50, 50]), A, arrow('a>b')))[0];
    expect(lineOf(two)).toEqual(lineOf(one));
  });
});

describe('opposite arrows', () => {
  const [there, back] = drawEdges(canvasOf(A, B, arrow('a>b', 'request'), arrow('b>a', 'reply')));

  test('are 12 px apart', () => {
    expect(Math.abs(lineOf(there).start.y - lineOf(back).start.y)).toBe(12);
    expect(lineOf(there).end.x).toBe(400);
    expect(lineOf(back).end.x).toBe(260);
  });

  test('carry their labels at 35 % of their own way, clear of both arrows', () => {
    for (const drawn of [there, back]) {
      const label = drawn!.labelBox!;
      expect(label.x + label.width / 2).toBeCloseTo(pointAt(lineOf(drawn), 0.35).x, 9);
      for (const other of [there, back]) {
        const y = lineOf(other).start.y;
        expect(y < label.y || y > label.y + label.height).toBe(true);
      }
    }
  });

  test('stay 12 px apart in the smallest shapes, and always both meet their ends', () => {
    for (const shape of ['rectangle', 'ellipse', 'diamond'] as const) {
      const canvas = canvasOf(
        box('a', [0, 0, 20, 20], undefined, shape),
        box('b', [90, 40, 20, 20], undefined, shape),
        arrow('a>b'),
        arrow('b>a'),
      );
      const [p, q] = drawEdges(canvas).map((drawn) => lineOf(drawn));
      const distance =
        Math.abs(
          (q!.start.x - p!.start.x) * (p!.end.y - p!.start.y) -
            (q!.start.y - p!.start.y) * (p!.end.x - p!.start.x),
        ) / Math.hypot(p!.end.x - p!.start.x, p!.end.y - p!.start.y);
      expect(distance).toBeCloseTo(12, 9);
    }
  });

  test('a third arrow between the same shapes gets a lane of its own', () => {
    const drawn = drawEdges(canvasOf(A, B, arrow('a>b', 'x'), arrow('b>a', 'y'), arrow('a>b', 'z')));
    expect(drawn.map((edge) => lineOf(edge).start.y)).toEqual([118, 130, 142]);
  });
});

describe('self-loops', () => {
  const drawn = drawEdges(canvasOf(A, arrow('a>a', 'retry'), arrow('a>a', 'wait'), arrow('a>a', 'log')));
  const corner = { x: 260, y: 100 };

  test('go around the top-right corner, outside, each wider than the one before', () => {
    const loops = drawn.map((edge) => loopOf(edge));
    expect(loops.map(({ radius }) => radius)).toEqual([20, 44, 68]);
    for (const { start, end, middle, radius } of loops) {
      expect(start.y).toBe(100);
      expect(end.x).toBe(260);
      expect(Math.hypot(start.x - middle.x, start.y - middle.y)).toBeCloseTo(radius, 9);
      expect(Math.hypot(end.x - middle.x, end.y - middle.y)).toBeCloseTo(radius, 9);
    }
    expect(loops[0]?.middle.x).toBeCloseTo(corner.x, 9);
    expect(loops[0]?.middle.y).toBeCloseTo(corner.y, 9);
  });

  test('never cross each other and keep their labels apart', () => {
    const labels = drawn.map(({ labelBox }) => labelBox!);
    expect(overlapArea(labels[0]!, labels[1]!)).toBe(0);
    expect(overlapArea(labels[1]!, labels[2]!)).toBe(0);
  });

  test('start and end on round and pointed outlines too', () => {
    for (const shape of ['ellipse', 'diamond'] as const) {
      const loop = loopOf(
        drawEdges(canvasOf(box('a', [100, 100, 160, 80], undefined, shape), arrow('a>a')))[0],
      );
      for (const { x, y } of [loop.start, loop.end]) {
        const u = Math.abs(x - 180) / 80;
        const v = Math.abs(y - 140) / 40;
        expect(shape === 'ellipse' ? Math.hypot(u, v) : u + v).toBeCloseTo(1, 9);
      }
      expect(loop.middle.x).toBeGreaterThan(180);
      expect(loop.middle.y).toBeLessThan(140);
    }
  });

  test('run through a shape that stands in their way', () => {
    const canvas = canvasOf(A, box('c', [262, 60, 60, 36]), arrow('a>a'));
    expect(runsThrough(drawEdges(canvas)[0]!, canvas.shapes[1]!)).toBe(true);
  });
});

describe('arrows and what is in their way', () => {
  const canvas = canvasOf(
    A,
    B,
    box('m', [300, 110, 40, 40]),
    box('t', [310, 0, 40, 40]),
    box('u', [350, 300, 40, 40]),
    arrow('a>b'),
    arrow('t>u'),
    arrow('a>u'),
  );
  const [across, down, slanted] = drawEdges(canvas);

  test('an arrow runs through a foreign shape, never through its own ends', () => {
    expect(canvas.shapes.filter((shape) => runsThrough(across!, shape)).map(({ id }) => id)).toEqual(['m']);
  });

  test('arrows cross, but not when they share an end', () => {
    expect(arrowsCross(across!, down!)).toBe(true);
    expect(arrowsCross(across!, slanted!)).toBe(false);
  });
});

test('every visible arrow touches both of its shapes, and everything drawn is finite', () => {
  fc.assert(
    fc.property(canvases, (canvas: Canvas) => {
      const shapes = new Map(canvas.shapes.map((shape) => [shape.id, shape]));
      for (const { edge, route, length, segments, labelBox } of drawEdges(canvas)) {
        const numbers = [
          length,
          ...Object.values(labelBox ?? {}),
          ...segments.flatMap(({ start, end }) => [start.x, start.y, end.x, end.y]),
        ];
        expect(numbers.every(Number.isFinite)).toBe(true);
        if (!route) continue;
        const { start, end } = route.kind === 'line' ? route.segment : route;
        expect(gap({ ...start, width: 0, height: 0 }, shapes.get(edge.from)!)).toBeLessThan(1e-6);
        expect(gap({ ...end, width: 0, height: 0 }, shapes.get(edge.to)!)).toBeLessThan(1e-6);
      }
    }),
    { numRuns: 500 },
  );
});
