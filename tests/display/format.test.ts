import { describe, expect, it } from 'vitest';
import { bytes, duration, percent, percentWithInterval, short } from 'posttrain/display/format';

describe('numbers as people read them', () => {
  it('shares', () => {
    expect(percent(0.3125)).toBe('31.3 %');
    expect(percentWithInterval(0.3, 0.2456, 0.3631)).toBe('30.0 % (25–36)');
  });

  it.each([
    [850, '0.8 s'],
    [12_400, '12 s'],
    [59_400, '59 s'],
    [59_600, '1 min 00 s'],
    [59_970, '1 min 00 s'],
    [75_000, '1 min 15 s'],
    [7_380_000, '2 h 03 min'],
    [-5, '0.0 s'],
  ])('%d ms', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [8 * 1024 ** 2, '8.0 MiB'],
  ])('%d bytes', (count, text) => {
    expect(bytes(count)).toBe(text);
  });

  it.each([
    [0, '0'],
    [0.2, '0.2'],
    [0.123456, '0.123'],
    [-1.5, '-1.5'],
    [1234, '1234'],
    [999.4, '999'],
    [123.456, '123'],
    [100, '100'],
    [0.00005, '5e-5'],
    [0.000012, '1.2e-5'],
    [2_500_000, '2.5e6'],
  ])('axis label of %d', (value, text) => {
    expect(short(value)).toBe(text);
  });
});
