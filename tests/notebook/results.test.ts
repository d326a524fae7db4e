import { describe, expect, it } from 'vitest';
import { compareResults, flattened, type Results } from 'posttrain/notebook/results';

describe('flattened', () => {
  it('names every number by its way', () => {
    const interval = { value: 2, low: 1, high: 3 };
    expect([...flattened({ a: 1, b: { c: interval, d: { e: 4 } } })]).toEqual([
      ['a', 1],
      ['b.c', interval],
      ['b.d.e', 4],
    ]);
  });

  it.each([
    [{ a: NaN }, 'result "a" has NaN; expected finite numbers'],
    [{ a: { value: 2, low: 1, high: Infinity } }, 'result "a" has Infinity'],
    [{ a: { value: 4, low: 1, high: 3 } }, 'result "a": 4 is not between its low, 1, and its high, 3'],
    [{ a: { 'b c': 1 } }, 'result "a.b c": a name has letters'],
    [{ a: [1, 2] }, 'result "a" is 1,2; expected a number'],
    [{ a: { b: null } }, 'result "a.b" is null; expected a number'],
  ])('refuses %j', (results, problem) => {
    expect(() => flattened(results as unknown as Results)).toThrow(problem);
  });
});

describe('compareResults', () => {
  const recorded = { a: { value: 2, low: 1, high: 3 }, plain: 5, gone: { value: 0, low: 0, high: 0 } };
  const verdict = (results: Results): unknown =>
    Object.fromEntries(compareResults(results, recorded).map(({ key, within }) => [key, within]));

  it('says what lies in the recorded interval, and judges nothing else', () => {
    expect(verdict({ a: 2.5, plain: 6, added: 1 })).toEqual({
      a: true,
      plain: undefined,
      added: undefined,
      gone: undefined,
    });
    expect(verdict({ a: { value: 3.1, low: 2, high: 4 } })).toMatchObject({ a: false });
    expect(verdict({ a: 0.9 })).toMatchObject({ a: false });
  });

  it('forgives what CPUs round otherwise, and no more', () => {
    expect(verdict({ a: 3 + 1e-7 })).toMatchObject({ a: true });
    expect(verdict({ a: 3 + 1e-5 })).toMatchObject({ a: false });
  });
});
