import { expect, it } from 'vitest';
import { plotFor } from '../../lib/src/book/client/plot-layout.js';
import { type Figure, plotlySpec } from '../../lib/src/display/index.js';

const lines: Figure = {
  type: 'lines',
  title: 'Success',
  description: 'It rises.',
  xLabel: 'a label that is so long that no phone has room for it in one line',
  yLabel: 'success',
  series: ['a', 'b'].map((name) => ({
    name,
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
  })),
};
const page = { width: 320, property: (name: string) => `var(${name})`, zoom: false };

it('draws each series and the axes in colours of the page', () => {
  const { data, layout } = plotFor(plotlySpec(lines)!, page);
  expect(data).toMatchObject([
    { line: { color: 'var(--series-1)' } },
    { line: { color: 'var(--series-2)', dash: 'dash' } },
  ]);
  expect(layout).toMatchObject({
    xaxis: { gridcolor: 'var(--line)' },
    font: { color: 'var(--ink-soft)', family: 'var(--sans)' },
  });
  expect(JSON.stringify({ data, layout })).not.toMatch(/#[0-9a-f]{6}/);
});

it('breaks titles that are too long for the width, and leaves the others', () => {
  const titleOf = (width: number): string =>
    (plotFor(plotlySpec(lines)!, { ...page, width }).layout as { xaxis: { title: { text: string } } }).xaxis
      .title.text;
  expect(titleOf(320).split('<br>').length).toBeGreaterThan(1);
  expect(titleOf(320).replaceAll('<br>', ' ')).toBe(lines.xLabel);
  expect(titleOf(900)).toBe(lines.xLabel);
});

it('gives each dot a row, and drags only where it may', () => {
  const dots = (count: number): Figure => ({
    type: 'dots',
    title: 'Dots',
    description: 'Dots.',
    xLabel: 'x',
    dots: Array.from({ length: count }, (_, i) => ({ name: `dot ${i}`, value: i })),
  });
  const heightOf = (count: number): number =>
    (plotFor(plotlySpec(dots(count))!, page).layout as { height: number }).height;
  expect(heightOf(8) - heightOf(4)).toBe(4 * 35);
  expect(plotFor(plotlySpec(lines)!, page).layout).toMatchObject({ dragmode: false });
  expect(plotFor(plotlySpec(lines)!, { ...page, zoom: true }).layout).toMatchObject({ dragmode: 'zoom' });
});

it('leaves room for the names of dots, and most of the width for the dots', () => {
  const names = ['short', 'a name with so many words that it needs several lines on a phone'];
  const figure: Figure = {
    type: 'dots',
    title: 'Dots',
    description: 'Dots.',
    xLabel: 'x',
    dots: names.map((name, value) => ({ name, value })),
  };
  const { data, layout } = plotFor(plotlySpec(figure)!, page);
  expect(data[0]!.y).toEqual(['short', expect.stringMatching(/^a name .*<br>.*phone$/)]);
  expect((layout as { margin: { l: number } }).margin.l).toBeLessThan(320 / 2);
});
