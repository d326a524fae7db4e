import { describe, expect, it } from 'vitest';
import { codePiece } from 'posttrain/book/code-region';

const source = `import { x } from './x.js';

/** One. */
export const one = 1,
  uno = one;

/**
 * Says so.
 */
export function say(what: string): void;
export function say(what: number): void;
export function say(what: unknown): void {
  // #region body
  if (what) {
    /** Inside. */
    print(what);
  }
  // #endregion body
}

interface Thing {
  /** Its name. */
  readonly name: string;
}
export type Things = readonly Thing[];
export class Box {}
enum Kind {
  A,
}
`;
const piece = (selector: string, docs = true) => codePiece(source, 'lib/a.ts', selector, docs);

describe('code by its name', () => {
  it.each([
    ['one', '/** One. */\nexport const one = 1,\n  uno = one;', 4],
    ['uno', '/** One. */\nexport const one = 1,\n  uno = one;', 4],
    ['Thing', 'interface Thing {\n  /** Its name. */\n  readonly name: string;\n}', 21],
    ['Things', 'export type Things = readonly Thing[];', 25],
    ['Box', 'export class Box {}', 26],
    ['Kind', 'enum Kind {\n  A,\n}', 27],
    ['region:body', 'if (what) {\n  /** Inside. */\n  print(what);\n}', 14],
  ])('%s', (selector, text, line) => {
    expect(piece(selector)).toEqual({ text, line });
  });

  it('has all its overloads, and no marks of regions', () => {
    const { text } = piece('say');
    expect(text).toMatch(
      /^\/\*\*\n \* Says so.\n \*\/\nexport function say\(what: string\): void;\nexport function say\(what: number\)/,
    );
    expect(text).not.toContain('#region');
  });

  it('comes without doc comments on demand, and the whole file with them', () => {
    expect(piece('Thing', false).text).toBe('interface Thing {\n  readonly name: string;\n}');
    expect(piece('one', false).text).toBe('export const one = 1,\n  uno = one;');
    expect(piece('').text.startsWith("import { x } from './x.js';")).toBe(true);
  });

  it.each([
    ['nothing', 'lib/a.ts has no declaration "nothing"; it has one, uno, say, Thing, Things, Box, Kind'],
    ['region:head', 'lib/a.ts has no region "head"; it has body'],
  ])('%s is refused', (selector, problem) => {
    expect(() => piece(selector)).toThrow(problem);
  });
});
