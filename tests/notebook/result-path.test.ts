import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberAt, valueAt } from 'posttrain/notebook/result-path';

const seeds = (values: readonly number[]) => ({
  mean: values.reduce((sum, value) => sum + value) / values.length,
  min: Math.min(...values),
  max: Math.max(...values),
  values,
});
const results = {
  moves: 11,
  'best of 8': 3,
  reward: { value: 0.5, low: 0.25, high: 0.75 },
  arms: {
    GRPO: { success: seeds([0.5, 0.75]) },
    'Dr. GRPO': { success: seeds([0.75, 0.5]) },
    one: seeds([1]),
  },
  summary: [
    { arm: 'default', policy: 'sft', success: 0.25 },
    { arm: 'default', policy: 'grpo', success: 0.5 },
  ],
  runs: [{ gain: { success: 0.125 } }, { gain: { success: 0.375 } }],
};

describe('a path into recorded results', () => {
  it.each([
    ['moves', { value: 11 }],
    ['best of 8', { value: 3 }],
    ['reward', { value: 0.5, low: 0.25, high: 0.75 }],
    ['reward.low', { value: 0.25 }],
    ['arms[Dr. GRPO].success', { value: 0.625, low: 0.5, high: 0.75, values: [0.75, 0.5] }],
    ['arms.GRPO.success.max', { value: 0.75 }],
    ['summary[1].success', { value: 0.5 }],
    ['summary[policy=grpo].success', { value: 0.5 }],
    ['runs.*.gain.success', { value: 0.25, low: 0.125, high: 0.375, values: [0.125, 0.375] }],
    [
      'summary.*.success - runs.*.gain.success',
      { value: 0.125, low: 0.125, high: 0.125, values: [0.125, 0.125] },
    ],
    [
      'arms[Dr. GRPO].success - arms.GRPO.success',
      { value: 0, low: -0.25, high: 0.25, values: [0.25, -0.25] },
    ],
    ['reward - moves', { value: -10.5 }],
  ])('%s', (path, expected) => {
    expect(numberAt(results, path)).toEqual(expected);
  });

  it.each([
    ['move', 'there is no "move"; there are moves, best of 8, reward, arms, summary, runs'],
    ['moves.first', 'there is no "first" in 11'],
    ['arms', '"arms" is no number, interval or record over seeds; it has GRPO, Dr. GRPO, one'],
    ['summary[arm=naive].success', 'nothing has arm=naive; there are default'],
    ['summary[7].success', 'there is no "7"; there are 2 items, from 0'],
    ['arms.GRPO.success - arms.one', '2 numbers and 1 cannot be subtracted one by one'],
    ['moves - moves - moves', '"moves - moves - moves" subtracts more than once'],
    ['arms..GRPO', '"arms..GRPO" is no path'],
    ['[arms]', '"[arms]" is no path'],
    ['', '"" is no path'],
  ])('%s is refused', (path, problem) => {
    expect(() => numberAt(results, path)).toThrow(problem);
  });

  it('leads to whatever stands there', () => {
    expect(valueAt(results, 'runs[0].gain')).toEqual({ success: 0.125 });
  });

  it('finds every number in every record, whatever the keys are', () => {
    const key = fc.stringMatching(/^[^[\]]{1,8}$/).filter((each) => each !== '__proto__');
    const place = fc.tuple(key, fc.array(key, { maxLength: 4 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(place, ([first, rest, number]) => {
        const record = [first, ...rest].reduceRight<unknown>(
          (inside, name) => ({ other: 1, [name]: inside }),
          number,
        );
        const path = `${rest.map((name) => `[${name}]`).join('')}`;
        expect(numberAt({ start: record }, `start[${first}]${path}`).value).toBe(number);
      }),
    );
  });
});
