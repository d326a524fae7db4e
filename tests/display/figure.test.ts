import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Figure, figureBundle, isFigure, MOST_POINTS } from 'posttrain/display/figure';
import { figureText } from 'posttrain/display/figure-text';
import { plotlySpec } from 'posttrain/display/plotly';
import { thinned } from 'posttrain/display/thin';

const lines: Figure = {
  type: 'lines',
  title: 'Reward <R>',
  description: 'The reward rises & stays',
  xLabel: 'step',
  yLabel: 'reward',
  series: [
    {
      name: 'GRPO',
      points: [
        { x: 0, y: 0, low: -0.1, high: 0.1 },
        { x: 1, y: 0.5, low: 0.4, high: 0.6 },
        { x: 2, y: 1, low: 0.9, high: 1.1 },
      ],
    },
    {
      name: 'RLOO',
      points: [
        { x: 0, y: 0.25 },
        { x: 1, y: NaN },
        { x: 2, y: 0.75 },
      ],
    },
  ],
};
const dots: Figure = {
  type: 'dots',
  title: 'Success',
  description: 'Both succeed',
  xLabel: 'share',
  dots: [
    { name: 'SFT', value: 0.25, low: 0.125, high: 0.5 },
    { name: 'GRPO', value: 0.75 },
  ],
};
const values: Figure = {
  type: 'values',
  title: 'Rooms',
  description: 'The hall is better',
  rows: [
    {
      title: 'learned',
      panels: [
        {
          title: 'without the key',
          places: [
            { name: 'hall', column: 0, row: 0, value: 0.5, action: 'east' },
            { name: 'vault', column: 1, row: 0, value: null, action: '' },
          ],
          passages: [{ from: 'hall', to: 'vault', closed: true }],
        },
      ],
    },
  ],
};

interface Plotly {
  readonly data: readonly {
    readonly name: string;
    readonly fill?: string;
    readonly line: { readonly dash?: string; readonly color: string };
    readonly y: readonly (number | null)[];
  }[];
  readonly layout: Readonly<Record<string, unknown>>;
}
const plotly = (figure: Figure): Plotly => plotlySpec(figure) as unknown as Plotly;

describe('figureBundle', () => {
  it.each([
    ['lines', lines, true],
    ['dots', dots, true],
    ['values', values, false],
  ])('shows %s in every form that there is', (_, figure, inPlotly) => {
    const bundle = figureBundle(figure);
    expect(Object.keys(bundle)).toEqual([
      ...(inPlotly ? ['application/vnd.plotly.v1+json'] : []),
      'text/html',
      'image/svg+xml',
      'text/plain',
    ]);
    const html = String(bundle['text/html']);
    expect(html).toContain('role="img"');
    expect(html).toMatch(/<desc>.+<\/desc>[^]*<figcaption>.+<\/figcaption>[^]*<details>[^]*<table>/);
    expect(html).not.toMatch(/<script|https?:(?!\/\/www.w3.org\/2000\/svg)/);
    expect(html.length).toBeLessThan(20_000);
    expect(String(bundle['text/plain'])).not.toMatch(/<(div|svg)/);
  });

  it('escapes what it is given, and follows the theme of JupyterLab, VS Code and any page', () => {
    const html = String(figureBundle({ ...lines, title: '<b>"' })['text/html']);
    expect(html).toContain('&lt;b&gt;&quot;');
    for (const theme of [
      '[data-jp-theme-light="false"] .posttrain',
      '.vscode-dark .posttrain',
      '(prefers-color-scheme:dark)',
    ])
      expect(html).toContain(theme);
  });

  it('keeps its numbers in a table', () => {
    const html = String(figureBundle(lines)['text/html']);
    expect(html).toContain('<td class="number">0.5 (0.4–0.6)</td><td class="number"></td>');
    expect(String(figureBundle(values)['text/html'])).toContain(
      '<td>learned: without the key</td><td>hall</td><td class="number">0.5</td><td>east</td>',
    );
  });

  it('refuses a figure without words for those who cannot see it', () => {
    for (const description of ['', '  ', undefined as unknown as string])
      expect(() => figureBundle({ ...dots, description })).toThrow('figure "Success" needs a description');
  });

  it('shows many points with few, and refuses more than a screen has pixels', () => {
    const many = (count: number): Figure => ({
      ...lines,
      series: [{ name: 'a', points: Array.from({ length: count }, (_, x) => ({ x, y: Math.sin(x) })) }],
    });
    expect(JSON.stringify(figureBundle(many(MOST_POINTS))).length).toBeLessThan(400_000);
    expect(() => figureBundle(many(MOST_POINTS + 1))).toThrow(
      'figure "Reward <R>" has 500001 points, at most 500000 can be shown; down-sample them, e.g. keep every 51th',
    );
  });

  it('knows a figure from other objects', () => {
    expect([lines, dots, values].map(isFigure)).toEqual([true, true, true]);
    for (const other of [null, 3, 'lines', {}, { type: 'lines' }, { ...lines, type: 'pie' }])
      expect(isFigure(other)).toBe(false);
  });
});

describe('plotlySpec', () => {
  it('is JSON, tells lines apart by dashes and bears any page behind it', () => {
    const { data, layout } = plotly(lines);
    expect(JSON.parse(JSON.stringify({ data, layout }))).toEqual({ data, layout });
    const drawn = data.filter(({ fill }) => fill === undefined);
    expect(drawn.map(({ name, line }) => [name, line.dash])).toEqual([
      ['GRPO', 'solid'],
      ['RLOO', 'dash'],
    ]);
    expect(drawn[1]!.y).toEqual([0.25, null, 0.75]);
    expect(layout).toMatchObject({ paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)' });
  });

  it('has a logarithmic axis where the chart has one', () => {
    expect(plotly({ ...lines, xScale: 'log' }).layout).toMatchObject({ xaxis: { type: 'log' } });
    expect(plotly(lines).layout).not.toHaveProperty('xaxis.type');
  });

  it('draws a band as an outline', () => {
    const [band] = plotly(lines).data;
    expect(band).toMatchObject({ fill: 'toself', x: [0, 1, 2, 2, 1, 0], y: [0.1, 0.6, 1.1, 0.9, 0.4, -0.1] });
  });

  it('has colours that stand out on white and on black', () => {
    const colors = plotly({ ...lines, series: Array.from({ length: 5 }, () => lines.series[1]!) }).data;
    for (const { line } of colors)
      for (const page of ['#ffffff', '#111111'])
        expect(contrast(line.color, page), `${line.color} on ${page}`).toBeGreaterThan(3);
  });
});

/** WCAG 2.2, contrast ratio. */
function contrast(a: string, b: string): number {
  const luminance = (color: string): number => {
    const [red, green, blue] = [1, 3, 5]
      .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

describe('figureText', () => {
  it('writes lines as bars with their ends and range', () => {
    expect(figureText(lines)).toBe(
      'Reward <R> (reward over step)\n  GRPO  ▁▅█  0 → 1, between 0 and 1\n  RLOO  ▁█  0.25 → 0.75, between 0.25 and 0.75',
    );
  });

  it('says which line has nothing yet, and a single number once', () => {
    const [points] = [lines.series[0]!.points.slice(1, 2)];
    const text = figureText({
      ...lines,
      series: [
        { name: 'a', points },
        { name: 'b', points: [] },
      ],
    });
    expect(text.split('\n').slice(1)).toEqual(['  a  ▁  0.5', '  b: nothing yet']);
  });

  it('writes dots as a table', () => {
    expect(figureText(dots)).toBe(
      'Success\n                 share\n────  ────────────────\nSFT   0.25 (0.125–0.5)\nGRPO              0.75',
    );
  });
});

describe('thinned', () => {
  const points = fc
    .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 400 })
    .map((ys) => ys.map((y, x) => ({ x, y })));

  it('keeps ends, peaks and order, and leaves few points alone', () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 8, max: 100 }), (all, most) => {
        const kept = thinned(all, most);
        expect(kept.length).toBeLessThanOrEqual(Math.max(most, 4) + 4);
        if (all.length <= most) expect(kept).toBe(all);
        expect(kept.map(({ x }) => x)).toEqual(kept.map(({ x }) => x).toSorted((a, b) => a - b));
        expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
        const ys = (list: readonly { readonly y: number }[]): number[] => list.map(({ y }) => y);
        expect([Math.min(...ys(kept)), Math.max(...ys(kept))]).toEqual([
          Math.min(...ys(all)),
          Math.max(...ys(all)),
        ]);
      }),
    );
  });

  it('keeps gaps', () => {
    const all = Array.from({ length: 100 }, (_, x) => ({ x, y: x === 50 ? NaN : x }));
    expect(thinned(all, 20).some(({ y }) => Number.isNaN(y))).toBe(true);
  });
});
