import { describe, expect, it } from 'vitest';
import { lineChart, type LineChart } from 'posttrain/display/line-chart';
import { trailingMean } from 'posttrain/display/smooth';
import { standaloneSvg } from 'posttrain/display/theme';

const chart: LineChart = {
  title: 'Reward <R>',
  description: 'Mean reward a step & its trend',
  xLabel: 'step',
  yLabel: 'reward',
  yRange: [0, 1],
  width: 168,
  height: 190,
  series: [
    {
      name: 'gated',
      points: [
        { x: 0, y: 0 },
        { x: 10, y: 1 },
      ],
    },
    {
      name: 'naive',
      points: [
        { x: 0, y: 0.5 },
        { x: 10, y: 0.5 },
      ],
    },
  ],
};

describe('lineChart', () => {
  const svg = lineChart(chart);

  it('maps data to the frame: left-bottom to right-top', () => {
    // frame: x 60..152, y 166..66, as the legend takes a second line of 18
    expect(svg).toContain('d="M60 166L152 66"');
    expect(svg).toContain('d="M60 116L152 116"');
  });

  it('leaves out what has no place on a logarithmic axis', () => {
    const points = [0, 1, 10, 100].map((x) => ({ x, y: 0 }));
    const log = lineChart({ ...chart, xScale: 'log', series: [{ name: 'gated', points }] });
    expect(log).toContain('d="M60 148L106 148L152 148"');
    for (const label of ['>1<', '>10<', '>100<']) expect(log).toContain(label);
  });

  it('carries title and description for readers who cannot see it, escaped', () => {
    expect(svg).toContain('<title>Reward &lt;R&gt;</title><desc>Mean reward a step &amp; its trend</desc>');
    expect(svg).toContain('role="img"');
  });

  it('has ticks on both axes and a legend only when there is something to tell apart', () => {
    for (const label of ['>0.2<', '>0.8<', '>10<', '>gated<', '>naive<']) expect(svg).toContain(label);
    expect(lineChart({ ...chart, series: chart.series.slice(0, 1) })).not.toContain('>gated<');
  });

  it('gives every series its own colour, and raw values the colour of their mean', () => {
    const raw = {
      name: 'raw',
      behind: 'naive',
      points: [
        { x: 0, y: 0.1 },
        { x: 10, y: 0.9 },
      ],
    };
    const both = lineChart({ ...chart, series: [raw, ...chart.series] });
    expect(both).toMatch(/class="line faint" style="stroke:var\(--series-2\)"/);
    expect(both.match(/>raw</g)).toBeNull();
  });

  it('tells series apart without colour, raw values excepted', () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ ...chart.series[0]!, name }));
    const looks = [
      ...lineChart({ ...chart, series: six }).matchAll(/<path class="line" style="([^"]+)" d="M60 \d+L152/g),
    ];
    expect(new Set(looks.map(([, style]) => style!.replace(/stroke:[^;]+/, ''))).size).toBe(4);
    expect(new Set(looks.map(([, style]) => style)).size).toBe(6);
  });

  it('keeps the legend inside, in as many lines as it needs, above a frame of the same size', () => {
    const names = [
      'REINFORCE',
      'RLOO, leave one out',
      'GRPO',
      'Dr. GRPO',
      'DAPO',
      'PPO with a critic',
      'OPD',
    ];
    const svg = lineChart({
      ...chart,
      width: 460,
      series: names.map((name) => ({ ...chart.series[0]!, name })),
    });
    const entries = names.map((name) => new RegExp(`<text x="([\\d.]+)" y="(\\d+)">${name}<`).exec(svg)!);
    const rows = new Set(entries.map(([, , y]) => y));
    expect([...rows]).toEqual(['36', '54']);
    entries.forEach(([, x], i) => expect(Number(x) + 6.6 * names[i]!.length).toBeLessThanOrEqual(460));
    expect(svg).toContain('height="208"');
  });

  it('leaves room for the last label of x', () => {
    const wide = { name: 'a', points: [0, 200_000].map((x) => ({ x, y: x })) };
    const [, x] = />0<[^]*<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">200000</.exec(
      lineChart({ ...chart, series: [wide] }),
    )!;
    expect(Number(x) + (6.6 * 6) / 2).toBeLessThanOrEqual(168);
  });

  it('draws a band between low and high', () => {
    const banded = lineChart({
      ...chart,
      series: [
        {
          name: 'a',
          points: [
            { x: 0, y: 0.5, low: 0, high: 1 },
            { x: 10, y: 0.5, low: 0.25, high: 0.75 },
          ],
        },
      ],
    });
    expect(banded).toContain('class="band" style="fill:var(--series-1)" d="M60 48L152 73L152 123L60 148Z"');
  });

  it('breaks the line at values that are not finite and marks lonely points', () => {
    const broken = lineChart({
      ...chart,
      series: [
        {
          name: 'a',
          points: [
            { x: 0, y: 0 },
            { x: 5, y: NaN },
            { x: 10, y: 1 },
          ],
        },
      ],
    });
    expect(broken).not.toContain('NaN');
    expect(broken.match(/<circle/g)).toHaveLength(2);
  });

  it('says what is missing when there is nothing to draw', () => {
    expect(() => lineChart({ ...chart, series: [{ name: 'a', points: [{ x: 0, y: NaN }] }] })).toThrow(
      /line chart "Reward <R>": no finite point/,
    );
  });

  it('asks nobody for anything', () => {
    const file = standaloneSvg(svg);
    expect(file).toContain('<style>');
    expect(file.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|<script|href/);
  });
});

describe('trailingMean', () => {
  const points = [1, 3, 5, 7].map((y, x) => ({ x, y }));

  it('averages what came before, never what comes after', () => {
    expect(trailingMean(points, 2).map((p) => p.y)).toEqual([1, 2, 4, 6]);
    expect(trailingMean(points, 10).map((p) => p.y)).toEqual([1, 2, 3, 4]);
  });

  it('refuses windows that are no counts', () => {
    expect(() => trailingMean(points, 0)).toThrow(/positive integer, got 0/);
  });
});
