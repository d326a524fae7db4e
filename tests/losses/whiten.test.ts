import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mean, standardDeviation, whiten } from 'posttrain/losses';

const row = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.boolean()), { maxLength: 8 });
const split = (rows: [number, boolean][][]): { streams: Float32Array[]; masks: Uint8Array[] } => ({
  streams: rows.map((values) => Float32Array.from(values, ([value, on]) => (on ? value / 10 : NaN))),
  masks: rows.map((values) => Uint8Array.from(values, ([, on]) => (on ? 1 : 0))),
});
const counted = (streams: readonly Float32Array[], masks: readonly Uint8Array[]): number[] =>
  streams.flatMap((stream, n) => [...stream].filter((_, t) => masks[n]?.[t] === 1));

it('gives the masked values of all streams together mean 0 and variance 1, and keeps their order', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const { streams, masks } = split(rows as [number, boolean][][]);
      const before = counted(streams, masks);
      fc.pre(standardDeviation(before) > 0.01);
      const whitened = whiten(streams, masks);
      const after = counted(whitened, masks);
      expect(mean(after)).toBeCloseTo(0, 4);
      expect(standardDeviation(after)).toBeCloseTo(1, 3);
      before.forEach((a, i) =>
        before.forEach((b, j) => {
          if (a > b) expect(after[i]).toBeGreaterThan(after[j] as number);
        }),
      );
      whitened.forEach((stream, n) =>
        stream.forEach((value, t) => masks[n]?.[t] === 1 || expect(value).toBe(0)),
      );
      const kept = counted(whiten(streams, masks, { shiftMean: false }), masks);
      expect(mean(kept)).toBeCloseTo(mean(before), 4);
    }),
  );
});

it('counts the masked values alone', () => {
  // 1, 2 and 4: mean 7/3, variance over N − 1 again 7/3
  const [first, second] = whiten(
    [Float32Array.of(1, 2, 9), Float32Array.of(4, 9, 9)],
    [Uint8Array.of(1, 1, 0), Uint8Array.of(1, 0, 0)],
  ) as [Float32Array, Float32Array];
  const expected = [-4 / 3, -1 / 3, 5 / 3].map((value) => value / Math.sqrt(7 / 3 + 1e-8));
  expect(first[0]).toBeCloseTo(expected[0] as number, 6);
  expect(first[1]).toBeCloseTo(expected[1] as number, 6);
  expect(second[0]).toBeCloseTo(expected[2] as number, 6);
});

it('makes nothing out of equal values or a single one', () => {
  const one = [Uint8Array.of(1)];
  expect(whiten([Float32Array.of(5)], one)).toEqual([Float32Array.of(0)]);
  expect(whiten([Float32Array.of(5)], one, { shiftMean: false })).toEqual([Float32Array.of(5)]);
  expect(whiten([Float32Array.of(3, 3)], [Uint8Array.of(1, 1)])).toEqual([Float32Array.of(0, 0)]);
});
