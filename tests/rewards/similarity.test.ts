import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLabel, similarity, tokenize } from 'posttrain/rewards/similarity';

describe('similarity', () => {
  it.each([
    ['API gateway', 'api  Gateway', 1],
    ['Valid？', 'Valid?', 1], // NFKC: full-width question mark
    ['ＡＰＩ', 'api', 1],
    ['Cache\u200b', 'cache', 1],
    ['line\nbreak', 'line break', 1],
    ['❤\ufe0f', '❤', 1],
    ['inlet()', 'inlet', 0.9],
    ['kube-apiserver', 'kube apiserver', 0.9],
    // {pay, at, counter} and {pay, counter}: Dice 4/5
    ['Pay at counter', 'Pay counter', 0.64],
    // same words, other order: Dice 1
    ['order item', 'item order', 0.8],
    // {order} and {order, item}: Dice 2/3, 0.533 is below the threshold
    ['Order', 'Order item', 0],
    // 需求 求分 分析 and 需求 求分: Dice 4/5
    ['需求分析', '需求分', 0.64],
    ['数据库', '数据表', 0],
    ['DB', 'Database', 0],
    ['Cache', 'Сache', 0], // the second begins with a Cyrillic С
    ['?', '!', 0],
    ['', '', 0],
    ['', 'Cache', 0],
    ['\u200b', '\u200b', 0],
  ])('%j and %j: %d', (a, b, expected) => {
    expect(similarity(a, b)).toBeCloseTo(expected, 12);
  });

  it('splits mixed scripts into words and character pairs', () => {
    expect(tokenize('调用api网关 v2')).toEqual(['调用', 'api', '网关', 'v2']);
    expect(tokenize('库 x')).toEqual(['库', 'x']);
  });

  it('is symmetric, in [0, 1], and 1 with itself unless empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const value = similarity(a, b);
        expect(value).toBe(similarity(b, a));
        expect(value === 0 || (value >= 0.55 && value <= 1)).toBe(true);
        expect(similarity(a, a)).toBe(foldLabel(a).text === '' ? 0 : 1);
      }),
    );
  });
});
