import { describe, expect, it } from 'vitest';
import { valueOf } from 'posttrain/rewards/formula';

describe('valueOf', () => {
  it('adds, multiplies and clamps', () => {
    const terms = { a: 0.5, b: 3 };
    expect(valueOf({ sum: [0.1, { product: [0.2, 'a'] }] }, terms)).toBeCloseTo(0.2, 12);
    expect(valueOf({ within: 'b' }, terms)).toBe(1);
    expect(valueOf({ within: { product: [-1, 'b'] } }, terms)).toBe(0);
  });

  it('names an unknown term and the known ones', () => {
    expect(() => valueOf('c', { a: 1, b: 1 })).toThrow('no term "c"; the terms are a, b');
  });
});
