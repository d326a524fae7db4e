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

it('quotes the names of properties in patterns, and nothing else', () => {
  const source = 'const { rows: r, n, [k]: m, "s": t } = run;\nf(({ rows: { deep: d } }) => ({ rows: r }));';
  const { code, original } = expandShorthand(source);
  expect(code).toBe(
    'const { "rows": r, n, [k]: m, "s": t } = run;\nf(({ "rows": { "deep": d } }) => ({ rows: r }));',
  );
  for (const part of [': r, n', ' n, [k]', ' = run', 'f((', ': d }', 'rows: r'])
    expect(source.slice(original(code.lastIndexOf(part))).startsWith(part), part).toBe(true);
});
