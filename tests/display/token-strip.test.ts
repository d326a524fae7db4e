import { describe, expect, it } from 'vitest';
import { figureBundle, isFigure, type TokenStrip, tokenStripSvg, tokenStripText } from 'posttrain/display';

const strip: TokenStrip = {
  title: 'One reply',
  description: 'The second word is a surprise.',
  valueLabel: 'nats',
  tokens: [
    { text: '<|user|>', value: null },
    { text: ' a', value: 0.5 },
    { text: 'b\n', value: 2 },
  ],
};
const heats = (svg: string): number[] =>
  [...svg.matchAll(/opacity="([\d.]+)"/g)].map(([, heat]) => Number(heat));

describe('a token strip', () => {
  it('has a box for each token, and a number below those that count', () => {
    const svg = tokenStripSvg(strip);
    expect(svg.match(/<rect /g)).toHaveLength(3);
    expect(svg).toContain('>&lt;|user|&gt;<');
    expect(svg).toContain('>0.5<');
    expect(svg).toContain('>2<');
    expect(svg).toContain('>·a<');
    expect(svg).toContain('>b⏎<');
  });

  it('is the darker the greater the value, and no darker than the darkest', () => {
    expect(heats(tokenStripSvg(strip))).toEqual([0.18, 0.55]);
    expect(heats(tokenStripSvg({ ...strip, darkestValue: 0.5 }))).toEqual([0.55, 0.55]);
    expect(heats(tokenStripSvg({ ...strip, tokens: [{ text: 'a', value: 0 }] }))).toEqual([0.06]);
  });

  it('breaks lines inside its width', () => {
    const tokens = Array.from({ length: 60 }, (_, i) => ({ text: `token${i}`, value: i }));
    const boxes = [
      ...tokenStripSvg({ ...strip, tokens }).matchAll(/<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g),
    ];
    const rows = new Set(boxes.map(([, , y]) => y));
    expect(rows.size).toBeGreaterThan(3);
    for (const [, x, , width] of boxes) expect(Number(x) + Number(width)).toBeLessThanOrEqual(708.01);
  });

  it('is text in a terminal', () => {
    expect(tokenStripText(strip)).toBe('One reply (nats; ‹›: not counted)\n  ‹<|user|>›  ·a 0.5  b⏎ 2');
    const long = { ...strip, tokens: Array.from({ length: 40 }, () => ({ text: 'abcdef', value: 1 })) };
    expect(
      Math.max(
        ...tokenStripText(long)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(102);
  });

  it('says what cannot be drawn', () => {
    expect(() => tokenStripSvg({ ...strip, tokens: [] })).toThrow('there is no token');
    for (const value of [NaN, Infinity, -1])
      expect(() => tokenStripText({ ...strip, tokens: [{ text: 'a', value }] })).toThrow(
        `${value} has no place`,
      );
  });
});

describe('a token strip as a figure', () => {
  const bundle = figureBundle({ type: 'tokens', ...strip });

  it('is known by its type, drawn, told and tabled', () => {
    expect(isFigure({ type: 'tokens', ...strip })).toBe(true);
    expect(bundle['text/html']).toContain(tokenStripSvg(strip));
    expect(bundle['text/html']).toContain('<td>&lt;|user|&gt;</td>');
    expect(bundle['text/plain']).toBe(tokenStripText(strip));
    expect(bundle['application/vnd.plotly.v1+json']).toBeUndefined();
  });
});
