import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contains, gap, overlapArea, type Box } from 'posttrain/envs/diagram/geometry';
import { layeredLayout, type LayoutGraph, type LayoutStyle } from 'posttrain/teachers/layout';
import { breakCycles, longestPathRanks, orderRanks } from 'posttrain/teachers/ranks';
import { separate, spread } from 'posttrain/teachers/spread';

const style: LayoutStyle = {
  direction: 'LR',
  rankGap: 60,
  nodeGap: 40,
  placement: 'balanced',
  lanes: 'shared',
  grid: 10,
};

function graph(nodes: string, edges: string, groups: LayoutGraph['groups'] = []): LayoutGraph {
  return {
    nodes: [...nodes].map((id) => ({ id, width: 120, height: 60 })),
    edges: edges
      .split(' ')
      .filter(Boolean)
      .map((pair) => ({ from: pair[0]!, to: pair[1]! })),
    groups,
  };
}

function positions(boxes: ReadonlyMap<string, Box>): Record<string, [number, number]> {
  return Object.fromEntries([...boxes].map(([id, { x, y }]) => [id, [x, y]]));
}

describe('ranks', () => {
  it('turns only the arrows that close a cycle, seen from the sources', () => {
    const arcs = breakCycles(4, [
      [0, 1],
      [1, 2],
      [2, 1],
      [2, 3],
      [3, 0],
      [1, 1],
    ]);
    expect(arcs).toEqual([
      [0, 1],
      [1, 2],
      [1, 2],
      [2, 3],
      [0, 3],
    ]);
  });

  it('puts a node one rank past its deepest predecessor and pulls sources up to their successors', () => {
    expect(
      longestPathRanks(5, [
        [0, 1],
        [1, 2],
        [0, 2],
        [2, 3],
        [4, 3],
      ]),
    ).toEqual([0, 1, 2, 3, 2]);
  });

  it('uncrosses two arrows', () => {
    expect(
      orderRanks(
        [0, 0, 1, 1],
        [
          [0, 3],
          [1, 2],
        ],
      ),
    ).toEqual([
      [0, 1],
      [3, 2],
    ]);
  });
});

describe('separate', () => {
  it('is the weighted least-squares solution: three boxes that all want to be at 0', () => {
    expect(separate([0, 0, 0], [10, 10], [1, 1, 1])).toEqual([-10, 0, 10]);
    expect(separate([0, 0], [12], [1, 3])).toEqual([-9, 3]);
    expect(separate([0, 50], [10], [1, 1])).toEqual([0, 50]);
  });
});

describe('spread', () => {
  it('lets a box make way for the long arrow past it', () => {
    const [a, b, c] = spread(
      [0, 1, 2],
      [60, 60, 60],
      [
        [0, 1],
        [1, 2],
        [0, 2],
      ],
      40,
      'balanced',
    );
    expect(Math.abs(a! - c!)).toBeLessThan(1);
    expect(Math.abs(b! - a!)).toBeGreaterThan(30);
  });
});

describe('layeredLayout', () => {
  it('draws a chain as a row', () => {
    expect(positions(layeredLayout(graph('abc', 'ab bc'), style))).toEqual({
      a: [0, 0],
      b: [180, 0],
      c: [360, 0],
    });
  });

  it('draws a diamond symmetrically, in all four directions', () => {
    const diamond = graph('abcd', 'ab ac bd cd');
    const drawn = (direction: LayoutStyle['direction']): Record<string, [number, number]> =>
      positions(layeredLayout(diamond, { ...style, direction }));
    expect(drawn('LR')).toEqual({ a: [0, 50], b: [180, 0], c: [180, 100], d: [360, 50] });
    expect(drawn('RL')).toEqual({ a: [360, 50], b: [180, 0], c: [180, 100], d: [0, 50] });
    expect(drawn('TB')).toEqual({ a: [80, 0], b: [0, 120], c: [160, 120], d: [80, 240] });
    expect(drawn('BT')).toEqual({ a: [80, 240], b: [0, 120], c: [160, 120], d: [80, 0] });
  });

  it('keeps a row straight through nested groups, with room for titles', () => {
    const boxes = layeredLayout(
      graph('abcd', 'ab bc cd', [
        { id: 'outer', members: ['inner', 'd'], titleWidth: 50 },
        { id: 'inner', members: ['b', 'c'], titleWidth: 80 },
      ]),
      style,
    );
    expect(positions(boxes)).toEqual({
      a: [0, 100],
      b: [220, 100],
      c: [400, 100],
      d: [600, 100],
      outer: [180, 0],
      inner: [200, 50],
    });
    expect(boxes.get('outer')).toMatchObject({ width: 560, height: 200 });
  });

  it('names an unknown end of an arrow', () => {
    expect(() => layeredLayout(graph('ab', 'ax'), style)).toThrow('"x"');
  });

  const anyGraph = fc
    .record({
      count: fc.integer({ min: 1, max: 9 }),
      pairs: fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 14 }),
      sizes: fc.array(fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 5 })), {
        minLength: 9,
        maxLength: 9,
      }),
      split: fc.tuple(fc.nat(9), fc.nat(9)),
    })
    .map(({ count, pairs, sizes, split }): LayoutGraph => {
      const ids = Array.from({ length: count }, (_, index) => `n${index}`);
      const [first, second] = [...split].sort((a, b) => a - b) as [number, number];
      const groups = [
        { id: 'g1', members: ids.slice(0, first), titleWidth: 90 },
        { id: 'g2', members: ids.slice(first, second), titleWidth: 200 },
      ].filter(({ members }) => members.length > 0);
      return {
        nodes: ids.map((id, index) => ({ id, width: 20 * sizes[index]![0], height: 20 * sizes[index]![1] })),
        edges: pairs
          .filter(([from, to]) => from < count && to < count)
          .map(([from, to]) => ({ from: `n${from}`, to: `n${to}` })),
        groups,
      };
    });
  const anyStyle = fc.record({
    direction: fc.constantFrom<LayoutStyle['direction']>('LR', 'RL', 'TB', 'BT'),
    rankGap: fc.integer({ min: 30, max: 100 }),
    nodeGap: fc.integer({ min: 30, max: 100 }),
    placement: fc.constantFrom<LayoutStyle['placement']>('balanced', 'stacked'),
    lanes: fc.constantFrom<LayoutStyle['lanes']>('shared', 'separate'),
    grid: fc.constant(10),
  });

  it('never lets boxes touch, lets groups hold exactly their members, stays on the grid', () => {
    fc.assert(
      fc.property(anyGraph, anyStyle, (layout, options) => {
        const boxes = layeredLayout(layout, options);
        const nodes = layout.nodes.map(({ id }) => [id, boxes.get(id)!] as const);
        for (const [index, [, a]] of nodes.entries()) {
          for (const [, b] of nodes.slice(index + 1)) {
            expect(gap(a, b)).toBeGreaterThanOrEqual(Math.min(options.nodeGap, options.rankGap));
          }
        }
        for (const { id, members } of layout.groups) {
          const frame = boxes.get(id)!;
          for (const [node, box] of nodes) {
            if (members.includes(node)) expect(contains(frame, box)).toBe(true);
            else expect(overlapArea(frame, box)).toBe(0);
          }
        }
        const [first, second] = layout.groups.map(({ id }) => boxes.get(id)!);
        if (first && second) expect(overlapArea(first, second)).toBe(0);
        for (const { x, y } of boxes.values()) expect([x % 10 === 0, y % 10 === 0]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });
});
