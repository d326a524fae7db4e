import { describe, expect, it } from 'vitest';
import type { Demo } from '../../../lib/src/book/demos/demo.js';
import { demoNamed, demoNames } from '../../../lib/src/book/demos/index.js';
import { viewHtml } from '../../../lib/src/book/demos/view-html.js';
import { perform, type Shown } from './stage.js';

/** As small as they can be made, so that a test may wait for them. */
const small: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'train-nano': { steps: '5', batch: '2' },
  'q-learning': { episodes: '500' },
};

/** One control at a time at each end of its range, or at each of its options. */
function oddValues({ controls }: Demo): Record<string, string>[] {
  return Object.entries(controls).flatMap(([name, control]) => {
    switch (control.type) {
      case 'range':
        return [{ [name]: String(control.min) }, { [name]: String(control.max) }];
      case 'choice':
        return Object.keys(control.options).map((value) => ({ [name]: value }));
      case 'switch':
        return [{ [name]: 'true' }, { [name]: 'false' }];
      default:
        return [{ [name]: '' }, { [name]: '"<b>& 图' }];
    }
  });
}

function expectReadable(demo: Demo, { words, views, progress }: Shown): void {
  expect(words).toMatch(/^.{10,}[.?!]$/s);
  expect(words).not.toMatch(/NaN|undefined|Infinity/);
  expect(views.size).toBeGreaterThan(0);
  for (const [name, view] of views) {
    const html = viewHtml(view, `demo-${demo.name}-${name}`);
    expect(html).not.toMatch(/NaN|undefined|<b>&/);
    if ('figure' in view) expect(view.figure.description).toMatch(/^.{20,}[.?!]$/s);
    if ('svg' in view) expect(view.alt).toMatch(/^.{10,}[.?!]$/s);
  }
  for (const share of progress) expect(share >= 0 && share <= 1).toBe(true);
}

describe.each(demoNames)('demo %s', (name) => {
  const demo = demoNamed(name);

  it('shows something and says it in words, for its start values', async () => {
    expectReadable(demo, await perform(demo, small[name]));
  });

  it.runIf(demo.auto)('and for odd ones', async () => {
    for (const values of oddValues(demo)) expectReadable(demo, await perform(demo, values));
  });

  it('shows the same for the same values', async () => {
    if (name === 'self-check') return;
    const [once, again] = [await perform(demo, small[name]), await perform(demo, small[name])];
    expect(again).toEqual(once);
  });
});

it('knows its demos by name', () => {
  expect(new Set(demoNames).size).toBe(demoNames.length);
  expect(() => demoNamed('no-such')).toThrow(/no demo "no-such"; there are self-check, temperature/);
});
