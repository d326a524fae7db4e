import { describe, expect, it } from 'vitest';
import { dotPlot, type DotPlot } from 'posttrain/display/dot-plot';

const plot: DotPlot = {
  title: 'Noise <N>',
  description: 'Variance & its range',
  xLabel: 'variance',
  dots: [
    { name: 'a', value: 5, low: 0, high: 10 },
    { name: 'b', value: 10 },
  ],
  width: 142.6,
};

describe('dotPlot', () => {
  const svg = dotPlot(plot);

  it('places dots and their bars on the axis, a row each', () => {
    // the axis runs from 16 + 6.6 to 142.6 − 20
    expect(svg).toContain('d="M22.6 46H122.6"');
    expect(svg).toContain('cx="72.6" cy="46"');
    expect(svg).toContain('cx="122.6" cy="70"');
  });

  it('carries title and description, escaped', () => {
    expect(svg).toContain('<title>Noise &lt;N&gt;</title><desc>Variance &amp; its range</desc>');
  });

  it('refuses what has no place', () => {
    expect(() => dotPlot({ ...plot, dots: [] })).toThrow(/there is no dot/);
    expect(() => dotPlot({ ...plot, dots: [{ name: 'a', value: NaN }] })).toThrow(/NaN has no place/);
  });
});
