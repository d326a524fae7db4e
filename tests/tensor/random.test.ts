import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText, philox4x32, randomStream, uniform } from 'posttrain/tensor/random';

const hex = (words: readonly number[]): string =>
  words.map((word) => word.toString(16).padStart(8, '0')).join(' ');

describe('philox4x32', () => {
  // Known-answer vectors of the Random123 distribution (kat_vectors, "philox4x32 10").
  it.each([
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      '408f276d 41c83b0e a20bc7c6 6d5451fd',
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    ],
  ] as const)('matches the published vector %#', (counter, key, expected) => {
    expect(hex(philox4x32(counter, key))).toBe(expected);
  });
});

describe('hashText', () => {
  // Published FNV-1a test values.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('hashes %j', (text, expected) => expect(hashText(text)).toBe(expected));
});

describe('randomStream', () => {
  const address = fc.tuple(fc.nat(), fc.string(), fc.nat(), fc.nat());

  it('repeats exactly at the same address', () => {
    fc.assert(
      fc.property(address, (at) => {
        const [a, b] = [randomStream(...at), randomStream(...at)];
        for (let i = 0; i < 5; i++) expect(a.uniform()).toBe(b.uniform());
        expect(uniform(...at)).toBe(randomStream(...at).uniform());
      }),
    );
  });

  it('changes with every part of the address', () => {
    const base = randomStream(1, 'a', 2, 3).uniform();
    for (const other of [
      randomStream(2, 'a', 2, 3),
      randomStream(1 + 2 ** 32, 'a', 2, 3),
      randomStream(1, 'b', 2, 3),
      randomStream(1, 'a', 3, 3),
      randomStream(1, 'a', 2, 4),
    ])
      expect(other.uniform()).not.toBe(base);
  });

  it('is uniform: every decile within five standard errors', () => {
    const counts = new Array<number>(10).fill(0);
    const stream = randomStream(7, 'deciles');
    const draws = 100_000;
    for (let i = 0; i < draws; i++) {
      const value = stream.uniform();
      expect(value >= 0 && value < 1).toBe(true);
      counts[Math.floor(value * 10)]! += 1;
    }
    for (const count of counts)
      expect(Math.abs(count - draws / 10)).toBeLessThan(5 * Math.sqrt(draws * 0.09));
  });

  it('has normal draws of mean 0, variance 1 and kurtosis 3', () => {
    const stream = randomStream(7, 'normal');
    const draws = Array.from({ length: 100_000 }, () => stream.normal());
    const moment = (power: number): number => draws.reduce((sum, x) => sum + x ** power, 0) / draws.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.016);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.023);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.16);
  });

  it('shuffles into a permutation and leaves its argument alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (array, seed) => {
        const copy = array.slice();
        const shuffled = randomStream(seed, 'shuffle').shuffle(array);
        expect(array).toEqual(copy);
        expect(shuffled.toSorted()).toEqual(copy.toSorted());
      }),
    );
  });

  it('shuffles three elements into all six orders equally often', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 6000; index++) {
      const order = randomStream(1, 'orders', 0, index).shuffle([0, 1, 2]).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('says what is wrong with bad arguments', () => {
    expect(() => randomStream(-1, 'a')).toThrow(/seed must be an integer/);
    expect(() => randomStream(0.5, 'a')).toThrow(/got 0.5/);
    expect(() => randomStream(1, 'a', NaN)).toThrow(/step/);
    expect(() => randomStream(1, 'a').int(0)).toThrow(/positive integer/);
    expect(() => randomStream(1, 'a').pick([])).toThrow(/empty array/);
  });
});
