import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultRules } from 'posttrain/envs/diagram/canvas';
import type { Canvas, DiagramTask, ExpectedGraph } from 'posttrain/envs/diagram/types';
import { verifyDiagram } from 'posttrain/rewards/verifier';
import { box, canvasOf, cleanLog, graphOf, row, taskOf, text } from './samples.js';

const faults = (graph: ExpectedGraph, canvas: Canvas, more: Partial<DiagramTask> = {}): readonly string[] =>
  verifyDiagram(taskOf(graph, more), canvas, cleanLog).faults;
const [a, b, c] = row.shapes as [(typeof row.shapes)[0], (typeof row.shapes)[0], (typeof row.shapes)[0]];

describe('verifyDiagram', () => {
  it('accepts the requested graph in any order, with labels inside or on their own', () => {
    expect(verifyDiagram(taskOf(row.graph), canvasOf(row.shapes, row.arrows), cleanLog)).toEqual({
      success: true,
      faults: [],
    });
    const spelled = [c, b, { ...a, text: '' }, text('t', 'A', 45, 20)];
    expect(faults(row.graph, canvasOf(spelled, ['n2>n3', 'n1>n2']))).toEqual([]);
  });

  it.each<[string, Canvas]>([
    ['an extra box', canvasOf([...row.shapes, box('n4', 'D', 480, 0)], row.arrows)],
    ['a loose text', canvasOf([...row.shapes, text('t', 'D', 480, 0)], row.arrows)],
    ['a missing arrow', canvasOf(row.shapes, ['n1>n2'])],
    ['a reversed arrow', canvasOf(row.shapes, ['n1>n2', 'n3>n2'])],
    ['an unwanted arrow label', canvasOf(row.shapes, ['n1>n2', 'n2>n3 go'])],
    ['another case', canvasOf([{ ...a, text: 'a' }, b, c], row.arrows)],
    ['a Cyrillic letter', canvasOf([{ ...a, text: 'А' }, b, c], row.arrows)],
    [
      'a group nobody asked for',
      canvasOf([box('g', 'A', -40, -40, { width: 180, height: 140 }), a, b, c], row.arrows),
    ],
  ])('refuses %s', (_, canvas) => {
    expect(faults(row.graph, canvas)).toEqual(['not the requested graph']);
  });

  it('refuses any error code and an unreadable reply', () => {
    const canvas = canvasOf(row.shapes, row.arrows);
    const log = { ...cleanLog, errors: [{ code: 'E_DUP_ID', subjects: ['n1'] }] } as const;
    expect(verifyDiagram(taskOf(row.graph), canvas, log).faults).toEqual(['E_DUP_ID n1']);
    expect(verifyDiagram(taskOf(row.graph), canvas, { ...cleanLog, parsed: false }).success).toBe(false);
  });

  it.each<[string, Canvas]>([
    ['n1 and n2 overlap', canvasOf([a, { ...b, x: 99 }, c], [...row.arrows])],
    ['the label of n2 does not fit', canvasOf([a, { ...b, height: 28 }, c], row.arrows)],
    ['n1>n3 runs through n2', canvasOf([a, b, c], ['n1>n2', 'n1>n3'])],
    ['the label of n1>n2 is covered', canvasOf([a, { ...b, x: 120 }, c], ['n1>n2 yes', 'n2>n3'])],
    ['arrows are too long', canvasOf([a, { ...b, x: 750 }, { ...c, x: 1500 }], row.arrows)],
  ])('sees that %s', (fault, canvas) => {
    const graph = graphOf(
      ['a A', 'b B', 'c C'],
      canvas.edges.map(({ from, to, label }) =>
        `${from}>${to} ${label}`.replaceAll('n1', 'a').replaceAll('n2', 'b').replaceAll('n3', 'c').trim(),
      ),
    );
    expect(faults(graph, canvas)).toContain(fault);
  });

  it('knows outlines, not only boxes', () => {
    // The arrow passes the corner of the middle shape's box: inside a rectangle, outside an ellipse and a diamond.
    const pass = (shape: 'rectangle' | 'ellipse' | 'diamond'): readonly string[] => {
      const shapes = [
        box('a', 'A', 0, 0),
        box('b', 'B', 400, 200),
        box('m', 'M', 110, 90, { width: 80, height: 80, shape }),
      ];
      return faults(graphOf(['a A', 'b B', 'm M'], ['a>b']), canvasOf(shapes, ['a>b']));
    };
    expect(pass('rectangle')).toEqual(['a>b runs through m']);
    expect(pass('ellipse')).toEqual([]);
    expect(pass('diamond')).toEqual([]);
  });

  it('checks the direction, and excuses only arrows on a cycle', () => {
    const canvas = canvasOf(row.shapes, row.arrows);
    expect(faults({ ...row.graph, direction: 'LR' }, canvas)).toEqual([]);
    expect(faults({ ...row.graph, direction: 'RL' }, canvas)).toHaveLength(2);
    const cycle: ExpectedGraph = { ...graphOf(['a A', 'b B'], ['a>b', 'b>a']), direction: 'LR' };
    expect(faults(cycle, canvasOf([a, b], ['n1>n2', 'n2>n1']))).toEqual([]);
  });

  it('checks members of groups', () => {
    const graph = graphOf(['a A', 'b B'], [], { groups: [{ id: 'g', label: 'Zone', members: ['a'] }] });
    const frame = box('g1', 'Zone', 0, 0, { width: 200, height: 160 });
    expect(faults(graph, canvasOf([frame, { ...a, x: 50, y: 50 }, box('n2', 'B', 300, 50)]))).toEqual([]);
    const swapped = [frame, { ...a, x: 300, y: 50 }, box('n2', 'B', 50, 50)];
    expect(faults(graph, canvasOf(swapped))).toEqual(['not the requested graph']);
  });

  it('finds isomorphisms among repeated labels', () => {
    const graph = graphOf(['a X', 'b X', 'c X', 'd X'], ['a>b', 'b>c', 'c>d', 'd>a', 'a>c']);
    const shapes = [
      box('p', 'X', 0, 0),
      box('q', 'X', 300, 0),
      box('r', 'X', 300, 200),
      box('s', 'X', 0, 200),
    ];
    expect(faults(graph, canvasOf(shapes, ['q>r', 'r>s', 's>p', 'p>q', 'r>p']))).toEqual([]);
    expect(faults(graph, canvasOf(shapes, ['q>r', 'r>s', 's>p', 'p>q', 'p>q x']))).toEqual([
      'not the requested graph',
    ]);
  });

  it('holds edited canvases to their ids and positions', () => {
    const initial = canvasOf(row.shapes, ['n1>n2']);
    const graph = graphOf(['n1 A', 'n2 B', 'n3 C'], ['n1>n2', 'n2>n3'], { keep: ['n1', 'n2', 'n3'] });
    expect(faults(graph, canvasOf(row.shapes, row.arrows), { initial })).toEqual([]);
    expect(faults(graph, canvasOf([a, b, { ...c, y: 40 }], row.arrows), { initial })).toEqual(['n3 moved']);
    const renamed = row.shapes.map((shape) => ({ ...shape, id: `x${shape.id}` }));
    expect(faults(graph, canvasOf(renamed, ['xn1>xn2', 'xn2>xn3']), { initial })[0]).toBe(
      'not the requested graph',
    );
  });

  it('holds drawings to rules that were changed', () => {
    const canvas = canvasOf(row.shapes, row.arrows);
    expect(faults(row.graph, canvas, { rules: { ...defaultRules, grid: 25 } })).toEqual([
      'not on the 25 px grid',
    ]);
    expect(faults(row.graph, canvas, { rules: { ...defaultRules, minGap: 61 } })).toHaveLength(2);
  });

  it('imports nothing of the reward', () => {
    for (const file of ['verifier.ts', 'verifier-geometry.ts']) {
      const source = readFileSync(new URL(`../../lib/src/rewards/${file}`, import.meta.url), 'utf8');
      const imports = [...source.matchAll(/from '(.+?)'/g)].map(([, path]) => path!);
      for (const path of imports) expect(path).toMatch(/^(\.\.\/envs\/|\.\/verifier)/);
    }
  });
});
