import { describe, expect, it } from 'vitest';
import type { Canvas, ExpectedGraph } from 'posttrain/envs/diagram/types';
import { changeTerm, keepTerm } from 'posttrain/rewards/changes';
import { readDrawing } from 'posttrain/rewards/drawing';
import { matchGraph } from 'posttrain/rewards/matching';
import { box, canvasOf, graphOf } from './samples.js';

const client = box('c', 'Client', 0, 0);
const server = box('s', 'Server', 200, 0);
const store = box('d', 'Store', 400, 0);
const initial = canvasOf([client, server, store], ['c>s', 's>d']);

function changes(graph: ExpectedGraph, canvas: Canvas, start = initial) {
  const drawing = readDrawing(canvas);
  return changeTerm(graph, start, drawing, matchGraph(graph, drawing));
}

describe('D, renaming Server to Gateway', () => {
  const graph = graphOf(['c Client', 's Gateway', 'd Store'], ['c>s', 's>d']);
  const renamed = { ...server, text: 'Gateway' };

  it.each<[string, Canvas, number]>([
    ['done', canvasOf([client, renamed, store], ['c>s', 's>d']), 1],
    ['nothing done', initial, 0],
    // The old label went (1), the new one is not the wanted one (0): 2 · 1 / (2 + 2)
    ['another name', canvasOf([client, { ...server, text: 'Proxy' }, store], ['c>s', 's>d']), 0.5],
    // One more change than asked for: 2 · 2 / (2 + 3)
    ['and an arrow lost', canvasOf([client, renamed, store], ['c>s']), 0.8],
    ['and a box added', canvasOf([client, renamed, store, box('x', 'X', 600, 0)], ['c>s', 's>d']), 0.8],
    ['and boxes pushed together', canvasOf([client, { ...renamed, x: 50 }, store], ['c>s', 's>d']), 0.8],
    // Everything drawn anew: 3 + 3 labels and 2 + 2 arrows changed, the removal of Server among them.
    [
      'redrawn',
      canvasOf(
        [box('x', 'Client', 0, 0), box('y', 'Gateway', 200, 0), box('z', 'Store', 400, 0)],
        ['x>y', 'y>z'],
      ),
      (2 * 1) / (2 + 10),
    ],
  ])('%s', (_, canvas, expected) => {
    expect(changes(graph, canvas).value).toBeCloseTo(expected, 12);
  });

  it('says what was not done and what nobody asked for', () => {
    const canvas = canvasOf([client, server, store, box('x', 'X', 600, 0)], ['c>s', 's>d']);
    expect(changes(graph, canvas).evidence).toEqual([
      'not done: remove node s "Server"',
      'not done: add node s "Gateway"',
      'not asked for: add node new x "X"',
    ]);
    expect(changes(graph, initial).evidence).toEqual(['nothing changed']);
  });
});

describe('D of other edits', () => {
  it('deletes a node with its arrows and joins the rest', () => {
    const graph = graphOf(['c Client', 'd Store'], ['c>d']);
    expect(changes(graph, canvasOf([client, store], ['c>d'])).value).toBe(1);
    // Only deleted: − node, − 2 arrows of 4 changes
    expect(changes(graph, canvasOf([client, store])).value).toBeCloseTo(6 / 7, 12);
  });

  it('knows an added node by its label, whatever its id', () => {
    const graph = graphOf(['c Client', 's Server', 'd Store', 'q Queue'], ['c>s', 's>d', 's>q']);
    const added = canvasOf([client, server, store, box('n9', 'Queue', 200, 200)], ['c>s', 's>d', 's>n9']);
    expect(changes(graph, added).value).toBe(1);
  });

  it('reverses an arrow: one lost, one gained', () => {
    const graph = graphOf(['c Client', 's Server', 'd Store'], ['s>c', 's>d']);
    expect(changes(graph, canvasOf([client, server, store], ['s>c', 's>d'])).value).toBe(1);
    expect(changes(graph, canvasOf([client, server, store], ['s>d'])).value).toBeCloseTo(2 / 3, 12);
  });

  it('repairs an overlap and a label that does not fit', () => {
    const start = canvasOf([client, { ...server, x: 50 }, { ...store, width: 40 }], ['c>s', 's>d']);
    const graph = graphOf(['c Client', 's Server', 'd Store'], ['c>s', 's>d']);
    expect(changes(graph, start, start).value).toBe(0);
    expect(
      changes(graph, canvasOf([client, server, { ...store, width: 40 }], ['c>s', 's>d']), start).value,
    ).toBeCloseTo(2 / 3, 12);
    expect(changes(graph, initial, start).value).toBe(1);
  });

  it('moves a node into a group', () => {
    const frame = box('g', 'Zone', 150, 100, { width: 400, height: 160 });
    const start = canvasOf([client, frame, { ...server, y: 140 }, store], []);
    const graph = graphOf(['c Client', 's Server', 'd Store'], [], {
      groups: [{ id: 'g', label: 'Zone', members: ['s', 'd'] }],
    });
    expect(
      changes(graph, canvasOf([client, frame, { ...server, y: 140 }, { ...store, y: 140 }]), start).value,
    ).toBe(1);
  });
});

describe('K', () => {
  const graph = graphOf(['c Client', 's Gateway', 'd Store'], [], { keep: ['c', 'd'] });
  const keep = (...shapes: Parameters<typeof canvasOf>[0]): number =>
    keepTerm(graph, initial, readDrawing(canvasOf(shapes))).value;

  it('is the share of kept shapes that were left alone', () => {
    expect(keep(client, server, store)).toBe(1);
    expect(keep(client, server, { ...store, x: 410 })).toBe(0.5);
    expect(keep(client, server, { ...store, text: 'Shop' })).toBe(0.5);
    expect(keep(client, server)).toBe(0.5);
    expect(keep(box('x', 'Client', 0, 0), box('y', 'Store', 400, 0))).toBe(0);
  });

  it('is 1 without a keep list', () => {
    expect(keepTerm({ ...graph, keep: [] }, initial, readDrawing(canvasOf([]))).value).toBe(1);
  });
});
