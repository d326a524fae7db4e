/** Which token of one text stands for which of another that was made from it: both in order, some added, some left out. */

export interface Token {
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
}

/**
 * For each token of `made` the index of the token of `source` that it is, −1 for none: a longest common subsequence
 * (Myers 1986, "An O(ND) difference algorithm").
 */
export function alignTokens(source: readonly Token[], made: readonly Token[]): Int32Array {
  const longest = source.length + made.length;
  // the furthest source index reached on each diagonal k = x − y, and what it was before each round
  const reach = new Int32Array(2 * longest + 3);
  const rounds: Int32Array[] = [];
  const at = (k: number): number => k + longest + 1;
  const down = (k: number, d: number, row: Int32Array): boolean =>
    k === -d || (k !== d && row[at(k - 1)]! < row[at(k + 1)]!);
  const walk = (): number => {
    for (let d = 0; d <= longest; d++) {
      rounds.push(reach.slice());
      for (let k = -d; k <= d; k += 2) {
        let x = down(k, d, reach) ? reach[at(k + 1)]! : reach[at(k - 1)]! + 1;
        while (source[x] !== undefined && source[x]!.text === made[x - k]?.text) x++;
        reach[at(k)] = x;
        if (x >= source.length && x - k >= made.length) return d;
      }
    }
    return longest;
  };
  const matches = new Int32Array(made.length).fill(-1);
  let x = source.length;
  let y = made.length;
  for (let d = walk(); d >= 0; d--) {
    const before = rounds[d]!;
    const k = x - y;
    const from = down(k, d, before) ? k + 1 : k - 1;
    const start = d === 0 ? 0 : before[at(from)]!;
    const startY = d === 0 ? 0 : start - from;
    while (x > start && y > startY && x > 0 && y > 0) matches[--y] = --x;
    x = start;
    y = startY;
  }
  return matches;
}

/** Line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

export function offsetAt(text: string, { line, column }: Position): number {
  const lines = text.split('\n').slice(0, line - 1);
  return lines.reduce((offset, each) => offset + each.length + 1, 0) + column - 1;
}
