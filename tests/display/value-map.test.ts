import { describe, expect, it } from 'vitest';
import { valueMapSvg, valueMapText, type ValueMap, type ValuedPlace } from 'posttrain/display';

const place = (
  name: string,
  column: number,
  row: number,
  value: number | null,
  action = '',
): ValuedPlace => ({
  name,
  column,
  row,
  value,
  action,
});
const map: ValueMap = {
  title: 'Three rooms',
  description: 'The cellar is best.',
  rows: [
    {
      title: 'γ = 1',
      panels: [
        {
          title: 'with a lamp',
          places: [
            place('Attic', 0, 0, null),
            place('Hall', 0, 1, 1.25, 'go <east> & down, then left'),
            place('Cellar', 1, 1, 10, 'take coal'),
          ],
          passages: [
            { from: 'Hall', to: 'Attic', closed: true },
            { from: 'Hall', to: 'Cellar', closed: false },
          ],
        },
      ],
    },
  ],
};

describe('valueMapText', () => {
  it('draws places with value, heat and action, and the ways between them', () => {
    expect(valueMapText(map).join('\n')).toMatchInlineSnapshot(`
      "Three rooms

      γ = 1

        with a lamp
        ┌──────────────────────┐
        │        Attic         │
        │                      │
        │                      │
        └───────────┬──────────┘
                    ×
        ┌───────────┴──────────┐   ┌──────────────────────┐
        │         Hall         │   │        Cellar        │
        │    ···· 1.25 ····    ├───┤     ████ 10 ████     │
        │go <east> & down, the…│   │      take coal       │
        └──────────────────────┘   └──────────────────────┘"
    `);
  });
});

describe('valueMapSvg', () => {
  const svg = valueMapSvg(map);

  it('has a title, a description and every text, escaped', () => {
    expect(svg).toContain('<title>Three rooms</title><desc>The cellar is best.</desc>');
    for (const text of ['γ = 1', 'with a lamp', 'Attic', '1.25', 'go &lt;east&gt; &amp; down', 'take coal'])
      expect(svg).toContain(text);
    expect(valueMapSvg(map)).toBe(svg);
  });

  it('is darkest where the value is greatest, and without heat where one cannot be', () => {
    const heats = [...svg.matchAll(/fill:var\(--series-2\)" opacity="([\d.]+)"/g)].map(([, heat]) =>
      Number(heat),
    );
    expect(heats).toEqual([0.04, 0.5]);
  });

  it('marks closed ways', () => {
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
  });

  it('says what is missing', () => {
    const [row] = map.rows;
    const [panel] = row!.panels;
    const withPanel = (change: Partial<typeof panel>): ValueMap => ({
      ...map,
      rows: [{ ...row!, panels: [{ ...panel!, ...change }] }],
    });
    expect(() => valueMapSvg(withPanel({ passages: [{ from: 'Hall', to: 'Moon', closed: false }] }))).toThrow(
      '"Moon"',
    );
    expect(() => valueMapSvg(withPanel({ places: [place('Attic', 0, 0, null)], passages: [] }))).toThrow(
      'no place has a value',
    );
  });
});
