import fc from 'fast-check';
import type { Token } from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { createMarkdown, parseFragment } from 'posttrain/book/markdown';
import { mathHtml } from 'posttrain/book/math';

const md = createMarkdown();
const tokens = (text: string): readonly Token[] => parseFragment(md, text, { file: 'a.md', line: 1 });
const inline = (text: string): readonly (readonly [string, string])[] =>
  tokens(text)
    .flatMap(({ children }) => children ?? [])
    .map(({ type, content }) => [type, content] as const);

describe('dollar signs', () => {
  it.each([
    ['$x_1 * y_2 * z$', [['math_inline', 'x_1 * y_2 * z']]],
    [
      'a $x$ b',
      [
        ['text', 'a '],
        ['math_inline', 'x'],
        ['text', ' b'],
      ],
    ],
    ['$\\$5$', [['math_inline', '\\$5']]],
    ['\\$5', [['text', '$5']]],
    ['`$x$`', [['code_inline', '$x$']]],
    [
      '$a$$b$',
      [
        ['math_inline', 'a'],
        ['math_inline', 'b'],
      ],
    ],
  ])('%s', (text, expected) => {
    expect(inline(text)).toEqual(expected);
  });

  it.each(['$', '5 $ each', '$ x $', '$x$5', '$$x$$'])('%s is a problem', (text) => {
    expect(inline(text).map(([type]) => type)).toContain('syntax_problem');
  });

  it('enclose every formula and nothing else, whatever stands around them', () => {
    const word = fc.stringMatching(/^[a-z*_[\]()!.,\\|<>&#:-]{1,6}$/).map((text) => text.replace(/\\+$/, ''));
    const tex = fc.stringMatching(/^[a-z0-9_^{}*[\]|]{1,8}$/);
    const pieces = fc.array(
      fc.oneof(
        word,
        tex.map((formula) => ({ formula })),
      ),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.map((piece) => (typeof piece === 'string' ? piece : `$${piece.formula}$`)).join(' ');
        // what begins a line may be a block of another kind, and a link's target has no formulas
        const found = inline(`Text ${text.replaceAll('](', '] (')}`).flatMap(([type, content]) =>
          type === 'math_inline' ? [content] : [],
        );
        expect(found).toEqual(all.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.formula])));
      }),
      { numRuns: 300 },
    );
  });

  it('display a formula that stands between two lines of two, in a list too', () => {
    const [display] = tokens('$$\na\nb\n$$ {#eq-ab code=lib/a.ts#ab}').filter(
      ({ type }) => type === 'math_block',
    );
    expect(display).toMatchObject({ content: 'a\nb', meta: { label: { id: 'eq-ab', code: 'lib/a.ts#ab' } } });
    const listed = tokens('- so:\n\n  $$\n  a\n  $$\n');
    expect(listed.find(({ type }) => type === 'math_block')?.content).toBe('a');
  });
});

describe('TeX', () => {
  it('is refused where KaTeX would only warn', () => {
    expect(() => mathHtml('é', false, {})).toThrow('Unicode');
    expect(() => mathHtml('\\nope', false, {})).toThrow('Undefined control sequence');
  });

  it('does not define macros for other formulas', () => {
    const macros = {};
    mathHtml('\\gdef\\here{x} \\here', false, macros);
    expect(macros).toEqual({});
    expect(() => mathHtml('\\here', false, macros)).toThrow('Undefined');
  });
});
