import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  borderPoint,
  chord,
  contains,
  gap,
  overlapArea,
  passesThrough,
  segmentsCross,
  type Box,
} from 'posttrain/envs/diagram/geometry';

const at = (x: number, y: number, width: number, height: number): Box => ({ x, y, width, height });

test('a box is inside another when it clears every side by 4 px', () => {
  const outer = at(0, 0, 100, 100);
  expect(contains(outer, at(4, 4, 92, 92))).toBe(true);
  for (const box of [at(3, 4, 92, 92), at(4, 3, 92, 92), at(4, 4, 93, 92), at(4, 4, 92, 93)]) {
    expect(contains(outer, box)).toBe(false);
  }
});

test('overlap is the common area; touching is none', () => {
  expect(overlapArea(at(0, 0, 10, 10), at(5, 6, 10, 10))).toBe(20);
  expect(overlapArea(at(0, 0, 10, 10), at(10, 0, 10, 10))).toBe(0);
  expect(overlapArea(at(0, 0, 10, 10), at(30, 30, 10, 10))).toBe(0);
});

test('the gap is the shortest distance', () => {
  expect(gap(at(0, 0, 10, 10), at(34, 0, 10, 10))).toBe(24);
  expect(gap(at(0, 0, 10, 10), at(13, 14, 10, 10))).toBe(5);
  expect(gap(at(0, 0, 10, 10), at(5, 5, 10, 10))).toBe(0);
});

describe('outlines', () => {
  test.each([
    ['rectangle' as const, { x: 100, y: 50 }],
    ['text' as const, { x: 100, y: 50 }],
    ['ellipse' as const, { x: 50 + 50 * Math.SQRT1_2, y: 25 + 25 * Math.SQRT1_2 }],
    ['diamond' as const, { x: 75, y: 37.5 }],
  ])('a ray to the corner leaves a 100×50 %s where the formula says', (shape, expected) => {
    const point = borderPoint({ ...at(0, 0, 100, 50), shape }, { x: 100, y: 50 });
    expect(point?.x).toBeCloseTo(expected.x, 10);
    expect(point?.y).toBeCloseTo(expected.y, 10);
  });

  test('there is no border point in the direction of the centre', () => {
    expect(borderPoint({ ...at(0, 0, 100, 50), shape: 'ellipse' }, { x: 50, y: 25 })).toBeNull();
  });

  test('a chord is the part of a line inside, and null for a miss', () => {
    const shape = { ...at(0, 0, 100, 100), shape: 'diamond' as const };
    expect(chord(shape, { start: { x: -100, y: 50 }, end: { x: 100, y: 50 } })).toEqual([0.5, 1]);
    expect(chord(shape, { start: { x: -100, y: 0 }, end: { x: 100, y: -1 } })).toBeNull();
  });

  test('border points lie on the outline, whatever the direction', () => {
    const sizes = fc.tuple(fc.integer({ min: 20, max: 400 }), fc.integer({ min: 20, max: 400 }));
    const kinds = fc.constantFrom('rectangle' as const, 'ellipse' as const, 'diamond' as const);
    fc.assert(
      fc.property(kinds, sizes, fc.integer({ min: 0, max: 359 }), (shape, [width, height], degrees) => {
        const angle = (degrees * Math.PI) / 180;
        const point = borderPoint(
          { ...at(0, 0, width, height), shape },
          {
            x: width / 2 + Math.cos(angle),
            y: height / 2 + Math.sin(angle),
          },
        )!;
        const u = Math.abs(point.x - width / 2) / (width / 2);
        const v = Math.abs(point.y - height / 2) / (height / 2);
        const norm = { rectangle: Math.max(u, v), ellipse: Math.hypot(u, v), diamond: u + v }[shape];
        expect(norm).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe('passesThrough', () => {
  const middle = at(100, 100, 100, 100);
  const straight = { start: { x: 0, y: 150 }, end: { x: 300, y: 150 } };
  const corner = { start: { x: 100, y: 120 }, end: { x: 120, y: 100 } };

  test('a line across is through, one that ends before is not', () => {
    expect(passesThrough(straight, { ...middle, shape: 'rectangle' })).toBe(true);
    expect(
      passesThrough({ start: { x: 0, y: 150 }, end: { x: 100, y: 150 } }, { ...middle, shape: 'rectangle' }),
    ).toBe(false);
    expect(
      passesThrough({ start: { x: 0, y: 0 }, end: { x: 0, y: 300 } }, { ...middle, shape: 'rectangle' }),
    ).toBe(false);
  });

  test('a cut corner of the box is inside the rectangle but outside the round and the pointed shape', () => {
    expect(passesThrough(corner, { ...middle, shape: 'rectangle' })).toBe(true);
    expect(passesThrough(corner, { ...middle, shape: 'ellipse' })).toBe(false);
    expect(passesThrough(corner, { ...middle, shape: 'diamond' })).toBe(false);
  });

  test('running along a side is not through', () => {
    const along = { start: { x: 0, y: 100 }, end: { x: 300, y: 100 } };
    expect(passesThrough(along, { ...middle, shape: 'rectangle' })).toBe(false);
  });
});

test('segments cross only inside both', () => {
  const horizontal = { start: { x: 0, y: 0 }, end: { x: 10, y: 0 } };
  expect(segmentsCross(horizontal, { start: { x: 5, y: -5 }, end: { x: 5, y: 5 } })).toBe(true);
  expect(segmentsCross(horizontal, { start: { x: 5, y: 0 }, end: { x: 5, y: 5 } })).toBe(false);
  expect(segmentsCross(horizontal, { start: { x: 15, y: -5 }, end: { x: 15, y: 5 } })).toBe(false);
  expect(segmentsCross(horizontal, { start: { x: 2, y: 0 }, end: { x: 8, y: 0 } })).toBe(false);
});
