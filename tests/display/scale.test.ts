import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearScale, logScale, logTicks, niceInterval, ticks } from 'posttrain/display/scale';

describe('linearScale', () => {
  it('maps the ends of the domain to the ends of the range, also when the range is upside down', () => {
    const y = linearScale([0, 10], [200, 100]);
    expect([y(0), y(5), y(10)]).toEqual([200, 150, 100]);
  });

  it('maps everything to the middle when the domain is one value', () => {
    expect(linearScale([3, 3], [0, 10])(3)).toBe(5);
  });
});

describe('a logarithmic scale', () => {
  it('has powers of ten evenly far apart', () => {
    const x = logScale([1, 1000], [0, 300]);
    [1, 10, 100, 1000].forEach((value, i) => expect(x(value)).toBeCloseTo(100 * i, 9));
  });

  it.each([
    [1, 1000, [1, 10, 100, 1000]],
    [4, 8000, [10, 100, 1000]],
    [0.002, 0.03, [0.002, 0.005, 0.01, 0.02]],
    [3, 4, [3]],
    [7, 7, [7]],
  ])('has marks inside of [%d, %d]', (low, high, expected) => {
    expect(logTicks(low, high)).toEqual(expected);
  });
});

describe('ticks', () => {
  it.each([
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, 7, [0, 2, 4, 6]],
    [-0.3, 0.3, [-0.2, 0, 0.2]],
    [120, 480, [200, 300, 400]],
    [5, 5, [5]],
  ])('of [%d, %d]', (low, high, expected) => {
    expect(ticks(low, high)).toEqual(expected);
  });

  it('stay inside, rise, and are neither too few nor too many, at any scale', () => {
    const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(bound, fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (low, span) => {
        const values = ticks(low, low + span);
        expect(values.length).toBeLessThanOrEqual(7);
        const slack = (Math.abs(low) + span) * 1e-9;
        values.forEach((v, i) => {
          expect(v).toBeGreaterThanOrEqual(low - slack);
          expect(v).toBeLessThanOrEqual(low + span + slack);
          if (i > 0) expect(v).toBeGreaterThan(values[i - 1]!);
        });
      }),
    );
  });
});

describe('niceInterval', () => {
  it.each([
    [0.03, 0.97, [0, 1]],
    [1.2, 4.9, [1, 5]],
    [0, 0, [0, 1]],
    [4, 4, [2, 6]],
  ])('widens [%d, %d] to round numbers', (low, high, expected) => {
    expect(niceInterval(low, high)).toEqual(expected);
  });
});
