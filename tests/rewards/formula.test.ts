import { describe, expect, it } from 'vitest';
import { evaluate } from 'posttrain/rewards/formula';

describe('evaluate', () => {
  it('adds, multiplies and clamps', () => {
    const terms = { a: 0.5, b: 3 };
    expect(evaluate({ sum: [0.1, { product: [0.2, 'a'] }] }, terms)).toBeCloseTo(0.2, 12);
    expect(evaluate({ within: 'b' }, terms)).toBe(1);
    expect(evaluate({ within: { product: [-1, 'b'] } }, terms)).toBe(0);
  });

  it('names an unknown term and the known ones', () => {
    expect(() => evaluate('c', { a: 1, b: 1 })).toThrow('no term "c"; the terms are a, b');
  });
});
