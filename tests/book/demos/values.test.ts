import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Controls } from '../../../lib/src/book/demos/demo.js';
import { demoNamed, demoNames } from '../../../lib/src/book/demos/index.js';
import {
  controlsStartingWith,
  shownNumber,
  startValues,
  valuesOf,
} from '../../../lib/src/book/demos/values.js';

const controls = {
  speed: { type: 'range', label: 'Speed', min: 0.1, max: 1, step: 0.1, start: 0.3 },
  kind: { type: 'choice', label: 'Kind', options: { a: 'first', b: 'second' }, start: 'a' },
  loud: { type: 'switch', label: 'Loud', start: true },
  words: { type: 'text', label: 'Words', lines: 1, maxLength: 5, start: 'hello' },
  moves: { type: 'trail', maxLength: 5, start: '' },
} as const satisfies Controls;

describe('values of controls', () => {
  it('start as the controls say', () => {
    expect(startValues(controls)).toEqual({ speed: 0.3, kind: 'a', loud: true, words: 'hello', moves: '' });
    expect(valuesOf(controls, {})).toEqual(startValues(controls));
  });

  it('take what makes sense, and the start value for what does not', () => {
    const read = (given: Record<string, string>): unknown => valuesOf(controls, given);
    expect(read({ speed: '0.5', kind: 'b', loud: 'false', words: 'bye', moves: 'n' })).toEqual({
      speed: 0.5,
      kind: 'b',
      loud: false,
      words: 'bye',
      moves: 'n',
    });
    expect(read({ speed: 'fast', kind: 'toString', words: 'a long text', moves: 'nnnnnnn' })).toEqual({
      speed: 0.3,
      kind: 'a',
      loud: true,
      words: 'a lon',
      moves: 'nnnnn',
    });
    expect(read({ speed: '' })).toMatchObject({ speed: 0.3 });
    expect(read({ speed: '-7' })).toMatchObject({ speed: 0.1 });
    expect(read({ speed: 'Infinity' })).toMatchObject({ speed: 1 });
  });

  it('lie on a step within the range, whatever an address says', () => {
    for (const name of demoNames)
      for (const [key, control] of Object.entries(demoNamed(name).controls)) {
        if (control.type !== 'range') continue;
        fc.assert(
          fc.property(fc.oneof(fc.double(), fc.integer(), fc.string()), (given) => {
            const value = valuesOf({ [key]: control }, { [key]: String(given) })[key] as number;
            const steps = (value - control.min) / control.step;
            return value >= control.min && value <= control.max && Math.abs(steps - Math.round(steps)) < 1e-6;
          }),
          { numRuns: 50 },
        );
      }
  });

  it('of every demo lie where their own controls allow', () => {
    for (const name of demoNames) {
      const demo = demoNamed(name);
      expect(controlsStartingWith(demo, startValues(demo.controls)), name).toEqual(demo.controls);
    }
  });
});

describe('start values of a chapter', () => {
  const demo = { name: 'test', controls };

  it('replace those of the demo', () => {
    expect(startValues(controlsStartingWith(demo, { speed: 0.7, loud: false }))).toMatchObject({
      speed: 0.7,
      kind: 'a',
      loud: false,
    });
  });

  it.each([
    [{ pace: 1 }, /demo test has no value "pace"; it has speed, kind, loud, words, moves/],
    [{ speed: 1.5 }, /speed is 1.5, expected a number from 0.1 to 1 in steps of 0.1/],
    [{ speed: '0.5' }, /speed is "0.5", expected a number/],
    [{ kind: 'c' }, /kind is "c", expected one of a, b/],
    [{ loud: 'yes' }, /loud is "yes", expected true or false/],
    [{ words: 'much too long' }, /expected text of at most 5 characters/],
  ])('must be such as the controls have: %j', (start, message) => {
    expect(() => controlsStartingWith(demo, start)).toThrow(message);
  });
});

it('shows a number with the decimals of its step, and the unit', () => {
  expect(shownNumber(0.30000000000000004, 0.05)).toBe('0.30');
  expect(shownNumber(12, 1, 'moves')).toBe('12 moves');
});
