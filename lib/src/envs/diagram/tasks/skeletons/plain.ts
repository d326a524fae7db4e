/** Graphs of unlabelled arrows without cycles: what the curriculum is made of, and the core of several families. */
import type { Role } from '../scene.js';
import { along, nodesOf, range, type Skeleton, type SkeletonMaker } from './types.js';

/** A -> B -> C … */
export function chain(role: Role): SkeletonMaker {
  return (size) => ({ topology: 'chain', nodes: nodesOf(role, size), edges: along(range(0, size)) });
}

/** One to all others. */
export const fan: SkeletonMaker = (size) => ({
  topology: 'fan',
  nodes: nodesOf('thing', size),
  edges: range(1, size).map((to) => ({ from: 0, to })),
});

/** A short chain whose end fans out. */
export const stem: SkeletonMaker = (size, random) => {
  const fork = 1 + random.int(size - 3);
  return {
    topology: 'stem',
    nodes: nodesOf('thing', size),
    edges: [...along(range(0, fork + 1)), ...range(fork + 1, size).map((to) => ({ from: fork, to }))],
  };
};

/** Several to one, and a chain on from there. */
export const gather: SkeletonMaker = (size, random) => {
  const sources = 2 + random.int(Math.min(size - 2, 3));
  return {
    topology: 'gather',
    nodes: nodesOf('thing', size),
    edges: [...range(0, sources).map((from) => ({ from, to: sources })), ...along(range(sources, size))],
  };
};

/** A rooted tree of depth at most 3 and at most 4 children a node, told level by level. */
export const tree: SkeletonMaker = (size, random) => {
  const depth = [0];
  const children = [0];
  const edges: { from: number; to: number }[] = [];
  for (let node = 1; node < size; node++) {
    const open = range(0, node).filter((parent) => depth[parent]! < 3 && children[parent]! < 4);
    const parent = random.pick(open);
    depth.push(depth[parent]! + 1);
    children.push(0);
    children[parent]!++;
    edges.push({ from: parent, to: node });
  }
  return { topology: 'tree', nodes: nodesOf('thing', size), edges: inLevelOrder(edges) };
};

/** Several senders, one hub, several receivers. */
export const hub: SkeletonMaker = (size, random) => {
  const senders = 1 + random.int(size - 2);
  return {
    topology: 'hub',
    nodes: nodesOf('thing', size),
    edges: [
      ...range(0, senders).map((from) => ({ from, to: senders })),
      ...range(senders + 1, size).map((to) => ({ from: senders, to })),
    ],
  };
};

/** One step, then a decision with two ends. */
export const fork: SkeletonMaker = (): Skeleton => ({
  topology: 'fork',
  nodes: [{ role: 'step' }, { role: 'decision' }, { role: 'step' }, { role: 'step' }],
  edges: [
    { from: 0, to: 1 },
    { from: 1, to: 2, label: 'yes' },
    { from: 1, to: 3, label: 'no' },
  ],
});

/** Parents in the order in which they become known, the children of one parent together. */
function inLevelOrder(edges: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const order = [0];
  const sorted: { from: number; to: number }[] = [];
  for (const parent of order)
    for (const edge of edges)
      if (edge.from === parent) {
        sorted.push(edge);
        order.push(edge.to);
      }
  return sorted;
}
