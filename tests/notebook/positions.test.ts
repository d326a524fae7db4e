import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignTokens, offsetAt, positionAt, type Token } from 'posttrain/notebook/positions';
import { sourcePosition } from 'posttrain/notebook/source-position.node';

const tokens = (words: readonly string[]): Token[] => words.map((text, start) => ({ text, start }));
const word = fc.constantFrom('a', 'b', 'c', '(', ')');

/** Length of a longest common subsequence, by the textbook's table. */
function longest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] =
        a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[a.length]![b.length]!;
}

describe('alignTokens', () => {
  it('pairs equal tokens in order, as many as there can be', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.array(word, { maxLength: 20 }), (source, made) => {
        const pairs = [...alignTokens(tokens(source), tokens(made))]
          .map((origin, index) => [origin, index] as const)
          .filter(([origin]) => origin !== -1);
        for (const [origin, index] of pairs) expect(source[origin]).toBe(made[index]);
        const origins = pairs.map(([origin]) => origin);
        expect(origins).toEqual([...new Set(origins)].sort((a, b) => a - b));
        expect(pairs).toHaveLength(longest(source, made));
      }),
    );
  });
});

describe('positions', () => {
  it('are offsets, and back', () => {
    const text = 'one\ntwo\n\nthree';
    for (let offset = 0; offset <= text.length; offset++)
      expect(offsetAt(text, positionAt(text, offset))).toBe(offset);
  });
});

describe('sourcePosition', () => {
  const source = `type Pair = [number, number];

const sum = ([a, b]: Pair): number => a + b;
console.log(sum([1, 2]));`;
  const javascript = `Object.defineProperty(exports, "__esModule", { value: true });
exports.sum = void 0;
const sum = ([a, b]) => a + b;
exports.sum = sum;
console.log(sum([1, 2]));`;

  it('finds the line that was written', () => {
    const cell = { source, javascript };
    expect(sourcePosition(cell, { line: 3, column: 25 })).toEqual({ line: 3, column: 39 });
    expect(sourcePosition(cell, { line: 5, column: 13 })).toEqual({ line: 4, column: 13 });
  });

  it('finds none after the end', () => {
    expect(sourcePosition({ source, javascript }, { line: 7, column: 1 })).toBeUndefined();
  });
});
