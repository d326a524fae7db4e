import { graphKey, hasHeldOutStructure, shapeKey, textKey } from 'posttrain/envs/diagram/tasks/canon';
import { isPlanar } from 'posttrain/envs/diagram/tasks/planar';
import type { ExpectedGraph } from 'posttrain/envs/diagram/types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** A graph from `a>b b>c`; labels are the ids in capitals. */
function graph(arrows: string): ExpectedGraph {
  const edges = arrows.split(' ').map((arrow) => arrow.split('>') as [string, string]);
  const ids = [...new Set(edges.flat())];
  return {
    nodes: ids.map((id) => ({ id, label: id.toUpperCase() })),
    edges: edges.map(([from, to]) => ({ from, to })),
    groups: [],
  };
}

const arrowList = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })), {
  minLength: 1,
  maxLength: 9,
});

describe('graphKey', () => {
  it('is the same whatever the order and the ids', () => {
    const renamed: ExpectedGraph = {
      nodes: [
        { id: 'x', label: 'C' },
        { id: 'y', label: 'A' },
        { id: 'z', label: 'b' },
      ],
      edges: [
        { from: 'z', to: 'x' },
        { from: 'y', to: 'z' },
      ],
      groups: [],
    };
    expect(graphKey(renamed)).toBe(graphKey(graph('a>b b>c')));
  });

  it('tells a reversed arrow and another label apart', () => {
    expect(graphKey(graph('a>b b>c'))).not.toBe(graphKey(graph('a>b c>b')));
    expect(graphKey(graph('a>b'))).not.toBe(graphKey(graph('a>d')));
  });
});

describe('shapeKey', () => {
  it('is invariant under renaming', () => {
    fc.assert(
      fc.property(arrowList, fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), (arrows, order) => {
        const named = (name: (node: number) => string): string =>
          arrows.map(([a, b]) => `${name(a)}>${name(b)}`).join(' ');
        expect(shapeKey(graph(named((node) => `n${order[node]}`)))).toBe(
          shapeKey(graph(named((node) => `n${node}`))),
        );
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('tells small graphs apart', () => {
    const shapes = [
      'a>b b>c',
      'a>b a>c',
      'b>a c>a',
      'a>b b>c c>a',
      'a>b b>c a>c',
      'a>b b>a',
      'a>a',
      'a>b a>c a>d',
      'a>b b>c c>d',
    ];
    expect(new Set(shapes.map((shape) => shapeKey(graph(shape)))).size).toBe(shapes.length);
    expect(shapeKey({ ...graph('a>b'), undirected: true })).not.toBe(shapeKey(graph('a>b')));
  });
});

describe('hasHeldOutStructure', () => {
  it.each(['a>b b>c', 'a>b a>c b>d c>d', 'a>b b>c c>a', 'a>b a>f b>c b>f c>d', 'p>q q>r q>s r>t r>u'])(
    '%s is common',
    (arrows) => {
      expect(hasHeldOutStructure(graph(arrows))).toBe(false);
    },
  );

  it.each(['a>a', 'a>b b>a', 'a>c a>d b>c b>d', 'p>q p>x q>y q>z x>e y>e z>e'])(
    '%s is held out',
    (arrows) => {
      expect(hasHeldOutStructure(graph(arrows))).toBe(true);
    },
  );

  it('holds out graphs without arrows, lines and overlaps', () => {
    const pair = graph('a>b');
    expect(hasHeldOutStructure({ ...pair, edges: [] })).toBe(true);
    expect(hasHeldOutStructure({ ...pair, undirected: true })).toBe(true);
    expect(hasHeldOutStructure({ ...pair, overlaps: [['a', 'b']] })).toBe(true);
  });
});

describe('textKey', () => {
  it('ignores case, width, spacing and punctuation', () => {
    expect(textKey('Draw A, then  B.')).toBe(textKey('draw a then b'));
    expect(textKey('画Ａ，再画Ｂ。')).toBe('画a 再画b');
  });
});

describe('isPlanar', () => {
  const complete = (n: number): { from: number; to: number }[] =>
    Array.from({ length: n }, (_, i) => Array.from({ length: i }, (_, j) => ({ from: j, to: i }))).flat();

  it('accepts trees, rings, K4 and K2,3, and refuses K5 and K3,3', () => {
    expect(
      isPlanar([
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 2, to: 0 },
        { from: 2, to: 2 },
      ]),
    ).toBe(true);
    expect(isPlanar(complete(4))).toBe(true);
    expect(isPlanar([0, 1].flatMap((from) => [2, 3, 4].map((to) => ({ from, to }))))).toBe(true);
    expect(isPlanar(complete(5))).toBe(false);
    expect(isPlanar([0, 1, 2].flatMap((from) => [3, 4, 5].map((to) => ({ from, to }))))).toBe(false);
  });
});
