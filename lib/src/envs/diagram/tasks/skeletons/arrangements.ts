/** Graphs in which where things are matters: layers, groups, loose and overlapping shapes. */
import type { ShapeKind } from '../../types.js';
import { along, nodesOf, range, type SkeletonEdge, type SkeletonMaker } from './types.js';

/** Two to four tiers; every node of a tier hangs on one of the tier before. */
export const layers: SkeletonMaker = (size, random) => {
  const tiers = Math.min(size - 1, 2 + random.int(3));
  const widths = new Array<number>(tiers).fill(1);
  for (let rest = size - tiers; rest > 0; rest--) widths[1 + random.int(tiers - 1)]!++;
  const starts = widths.map((_, tier) => widths.slice(0, tier).reduce((sum, width) => sum + width, 0));
  const edges: SkeletonEdge[] = [];
  for (let tier = 1; tier < tiers; tier++) {
    const above = range(starts[tier - 1]!, starts[tier]!);
    const here = range(starts[tier]!, starts[tier]! + widths[tier]!);
    // Parents ascend with their children, so straight arrows between two tiers never have to cross.
    const parents = here.map((_, i) => above[Math.floor((i * above.length) / here.length)]!);
    edges.push(...here.map((to, i) => ({ from: parents[i]!, to })));
  }
  edges.sort((a, b) => a.from - b.from || a.to - b.to);
  return { topology: 'layers', nodes: nodesOf('thing', size), edges };
};

/** A client, a gateway, services behind it, and half of the time a store that they share. */
export const gateway: SkeletonMaker = (size, random) => {
  const shared = size > 4 && random.uniform() < 0.5;
  const services = range(2, shared ? size - 1 : size);
  return {
    topology: shared ? 'gateway-store' : 'gateway',
    nodes: nodesOf('thing', size),
    edges: [
      { from: 0, to: 1 },
      ...services.map((to) => ({ from: 1, to })),
      ...(shared ? services.map((from) => ({ from, to: size - 1 })) : []),
    ],
  };
};

/** Held out: each of two nodes leads to each of two or three others. */
export const bipartite: SkeletonMaker = (size) => ({
  topology: 'bipartite',
  nodes: nodesOf('thing', size),
  edges: [0, 1].flatMap((from) => range(2, size).map((to) => ({ from, to }))),
});

/** A chain, some neighbours of which are in a box. */
export const oneGroup: SkeletonMaker = (size, random) => {
  const count = 2 + random.int(size - 2);
  const start = random.int(size - count + 1);
  return {
    topology: 'one-group',
    nodes: nodesOf('thing', size),
    edges: along(range(0, size)),
    groups: [{ members: range(start, start + count), inner: [] }],
  };
};

/** Two boxes with a chain or a fan in each, and one arrow from box to box. */
export const twoGroups: SkeletonMaker = (size, random) => {
  const first = 2 + random.int(size - 3);
  const link = { from: first - 1, to: first };
  return {
    topology: 'two-groups',
    nodes: nodesOf('thing', size),
    edges: [
      ...chainOrFan(range(0, first), random.uniform()),
      link,
      ...chainOrFan(range(first, size), random.uniform()),
    ],
    groups: [
      { members: range(0, first), inner: [] },
      { members: range(first, size), inner: [] },
    ],
  };
};

/** A box in a box, along a chain. */
export const nestedGroups: SkeletonMaker = (size) => ({
  topology: 'nested-groups',
  nodes: nodesOf('thing', size),
  edges: along(range(0, size)),
  groups: [
    { members: range(1, size - 2), inner: [1] },
    { members: range(size - 2, size), inner: [] },
  ],
});

/** Held out: shapes of given kinds, without arrows. */
export const looseShapes: SkeletonMaker = (size, random) => ({
  topology: 'shapes',
  nodes: range(0, size).flatMap(() =>
    nodesOf('thing', 1, random.pick<ShapeKind>(['rectangle', 'ellipse', 'diamond'])),
  ),
  edges: [],
});

/** Held out: shapes joined by lines that have no direction. */
export const joinedShapes: SkeletonMaker = (size, random) => ({
  topology: 'lines',
  nodes: nodesOf('thing', size, random.pick<ShapeKind>(['rectangle', 'ellipse'])),
  edges: along(range(0, size)),
  undirected: true,
});

/** Held out: two circles that overlap, or three in a row that overlap their neighbours. */
export const venn: SkeletonMaker = (size) => ({
  topology: 'venn',
  nodes: nodesOf('thing', size, 'ellipse'),
  edges: [],
  overlaps: range(1, size).map((second) => [second - 1, second] as const),
});

function chainOrFan(nodes: readonly number[], coin: number): SkeletonEdge[] {
  const [root, ...others] = nodes;
  return coin < 0.5 || root === undefined ? along(nodes) : others.map((to) => ({ from: root, to }));
}
