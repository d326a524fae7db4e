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
    // frame: x 60..152, y 148..48
    expect(svg).toContain('d="M60 148L152 48"');
    expect(svg).toContain('d="M60 98L152 98"');
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
