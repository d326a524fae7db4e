import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { parseActions } from 'posttrain/envs/diagram/parse';
import { renderSvg } from 'posttrain/envs/diagram/svg';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { canvases, oddLabels } from './arbitraries.js';
import { arrow, box, canvasOf, note } from './build.js';
import { readXml } from './well-formed.js';

const login = canvasOf(
  box('g', [20, 20, 700, 280], 'Login'),
  box('n1', [60, 100, 140, 70], 'Start', 'ellipse'),
  box('n2', [260, 100, 150, 70], 'Enter credentials'),
  box('n3', [480, 75, 161, 121], '有效？', 'diamond'),
  note('t1', 60, 320, '"quoted" & <b>'),
  arrow('n1>n2'),
  arrow('n2>n3', 'send'),
  arrow('n3>n2', 'no'),
  arrow('n1>n1', 'wait'),
);

const textsOf = (canvas: Canvas): string[] =>
  readXml(renderSvg(canvas))
    .filter(({ name }) => name === 'tspan')
    .map(({ text }) => text);

describe('renderSvg', () => {
  test('the same canvas gives the same bytes', () => {
    expect(renderSvg(login)).toMatchSnapshot();
    expect(renderSvg(structuredClone(login))).toBe(renderSvg(login));
  });

  test('an empty canvas is an empty picture of its size', () => {
    expect(renderSvg(emptyCanvas())).toContain('width="1600" height="1200" viewBox="0 0 1600 1200"');
  });

  test('carries the canvas, so that a program can read it back', () => {
    const metadata = readXml(renderSvg(login)).find(({ name }) => name === 'metadata');
    expect(JSON.parse(metadata!.text)).toEqual(login);
  });

  test('draws each kind once, one marker, and no foreign content', () => {
    const elements = readXml(renderSvg(login)).map(({ name }) => name);
    const count = (name: string): number => elements.filter((element) => element === name).length;
    expect([count('ellipse'), count('polygon'), count('marker'), count('metadata')]).toEqual([1, 1, 1, 1]);
    // The group, one node, and a chip under each of three arrow labels.
    expect(count('rect')).toBe(5);
    // Four arrows and the marker's tip.
    expect(count('path')).toBe(5);
    expect(new Set(elements)).toEqual(
      new Set(['svg', 'metadata', 'defs', 'marker', 'path', 'rect', 'ellipse', 'polygon', 'text', 'tspan']),
    );
  });

  test('writes one tspan a line, wrapped by the same metrics as the fit rule', () => {
    expect(textsOf(canvasOf(box('a', [0, 0, 100, 60], 'Enter credentials')))).toEqual([
      'Enter',
      'credentials',
    ]);
    expect(textsOf(canvasOf(box('a', [0, 0, 74, 60], '发出补货提醒')))).toEqual(['发出补货', '提醒']);
    expect(textsOf(canvasOf(note('a', 0, 0, 'first\nsecond')))).toEqual(['first', 'second']);
  });

  test('numbers have at most two decimals', () => {
    for (const { attributes } of readXml(renderSvg(login))) {
      for (const value of Object.values(attributes))
        expect(value).not.toMatch(/\d\.\d{3}|e-\d|NaN|Infinity|(^|\s)-0(\s|$)/);
    }
  });

  test('labels become text and nothing else', () => {
    const hostile = '</text><script>alert(1)</script>&#0;" onload="x';
    const svg = renderSvg(
      canvasOf(box('a', [0, 0, 600, 60], hostile), box('b', [0, 200, 600, 60]), arrow('a>b', '<a href="x">')),
    );
    expect(readXml(svg).map(({ name }) => name)).not.toContain('script');
    expect(textsOf(canvasOf(box('a', [0, 0, 600, 60], hostile)))).toEqual([hostile]);
  });

  test('drops characters that XML forbids, should a canvas hold any', () => {
    const canvas: Canvas = {
      ...emptyCanvas(),
      shapes: [
        {
          id: 'a',
          shape: 'rectangle',
          x: 0,
          y: 0,
          width: 200,
          height: 60,
          text: 'a\u0000b\u001bc\ud800d\uffffe',
        },
      ],
    };
    expect(textsOf(canvas)).toEqual(['abcde']);
  });

  test('is well-formed for whatever a policy can draw', () => {
    fc.assert(
      fc.property(canvases, (canvas) => void readXml(renderSvg(canvas))),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(oddLabels, (reply) => {
        const parsed = parseActions(reply);
        if (parsed.ok) readXml(renderSvg(applyActions(emptyCanvas(), parsed.actions).canvas));
      }),
      { numRuns: 1000 },
    );
  });
});
