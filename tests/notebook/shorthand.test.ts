import { expect, it } from 'vitest';
import { expandShorthand } from 'posttrain/notebook/shorthand.node';

it('writes shorthand properties out, and knows where everything was', () => {
  const source = 'f({ rows, n: 1 });\nconst { a } = { b };\n({ c } = d);';
  const { code, original } = expandShorthand(source);
  expect(code).toBe('f({ rows: rows, n: 1 });\nconst { a } = { b: b };\n({ c: c } = d);');
  for (const part of ['rows', ', n: 1', 'const', '{ a }', ' };\n', '= d']) {
    const at = code.lastIndexOf(part);
    expect(source.slice(original(at)).startsWith(part === 'rows' ? ', n' : part), part).toBe(true);
  }
});
