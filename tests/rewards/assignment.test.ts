import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign } from 'posttrain/rewards/assignment';

function total(weights: number[][], columns: number[]): number {
  return columns.reduce((sum, column, row) => sum + (column === -1 ? 0 : weights[row]![column]!), 0);
}

function bestByTrying(weights: number[][], row = 0, used = 0): number {
  if (row === weights.length) return 0;
  let best = bestByTrying(weights, row + 1, used);
  weights[row]!.forEach((weight, column) => {
    if (used & (1 << column)) return;
    best = Math.max(best, weight + bestByTrying(weights, row + 1, used | (1 << column)));
  });
  return best;
}

const matrix = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 }))
  .chain(([rows, columns]) =>
    fc.array(
      fc.array(fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })), {
        minLength: columns,
        maxLength: columns,
      }),
      { minLength: rows, maxLength: rows },
    ),
  );

describe('assign', () => {
  it('prefers the better total over the better first pair', () => {
    expect(
      assign([
        [1, 0.9],
        [0.9, 0],
      ]),
    ).toEqual([1, 0]);
  });

  it('leaves rows without a positive weight unpaired', () => {
    expect(
      assign([
        [0, 0],
        [0, 1],
        [0, 0.5],
      ]),
    ).toEqual([-1, 1, -1]);
    expect(assign([])).toEqual([]);
    expect(assign([[], []])).toEqual([-1, -1]);
  });

  it('equals brute force on rectangular matrices', () => {
    fc.assert(
      fc.property(matrix, (weights) => {
        const columns = assign(weights);
        const taken = columns.filter((column) => column !== -1);
        expect(new Set(taken).size).toBe(taken.length);
        columns.forEach((column, row) => column !== -1 && expect(weights[row]![column]).toBeGreaterThan(0));
        expect(total(weights, columns)).toBeCloseTo(bestByTrying(weights), 9);
      }),
      { numRuns: 200 },
    );
  });

  it.each([NaN, -1, Infinity])('refuses weight %d', (weight) => {
    expect(() => assign([[1, weight]])).toThrow(RangeError);
  });
});
