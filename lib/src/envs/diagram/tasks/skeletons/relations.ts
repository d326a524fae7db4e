/** State machines, conversations, entities and mind maps: graphs whose arrows have names or no order. */
import { along, nodesOf, range, type SkeletonEdge, type SkeletonMaker } from './types.js';

/** States that follow each other round and round. */
export const cycle: SkeletonMaker = (size) => ({
  topology: 'cycle',
  nodes: nodesOf('state', size, 'ellipse'),
  edges: range(0, size).map((from) => ({ from, to: (from + 1) % size, label: 'event' })),
});

/** States that follow each other once. */
export const progress: SkeletonMaker = (size) => ({
  topology: 'progress',
  nodes: nodesOf('state', size, 'ellipse'),
  edges: along(range(0, size)).map((edge) => ({ ...edge, label: 'event' })),
});

/** A start, states in a row, an end. */
export const startToEnd: SkeletonMaker = (size) => ({
  topology: 'start-end',
  nodes: [
    { role: 'start', shape: 'ellipse' },
    ...nodesOf('state', size - 2, 'ellipse'),
    { role: 'end', shape: 'ellipse' },
  ],
  edges: along(range(0, size)).map((edge) => ({ ...edge, label: 'event' })),
});

/** Held out: neighbours in a row of states, with an arrow each way. */
export const twoWayStates: SkeletonMaker = (size) => ({
  topology: 'two-way',
  nodes: nodesOf('state', size, 'ellipse'),
  edges: along(range(0, size)).flatMap(bothWays('event')),
});

/** Held out: states in a row, one or two of which lead to themselves. */
export const selfLoops: SkeletonMaker = (size, random) => {
  const looping = random.shuffle(range(0, size)).slice(0, 1 + random.int(2));
  const row = along(range(0, size)).map((edge): SkeletonEdge => ({ ...edge, label: 'event' }));
  return {
    topology: 'self-loops',
    nodes: nodesOf('state', size, 'ellipse'),
    edges: [...row, ...looping.map((node): SkeletonEdge => ({ from: node, to: node, label: 'event' }))],
  };
};

/** Held out: neighbours that send each other messages. */
export const conversation: SkeletonMaker = (size) => ({
  topology: 'conversation',
  nodes: nodesOf('thing', size),
  edges: along(range(0, size)).flatMap(bothWays('relation')),
});

/** Entities, each related to one before it; half of the time one more relation closes a triangle. */
export const entities: SkeletonMaker = (size, random) => {
  const edges: SkeletonEdge[] = range(1, size).map((node) => {
    const other = random.int(node);
    return random.uniform() < 0.7
      ? { from: other, to: node, label: 'relation' }
      : { from: node, to: other, label: 'relation' };
  });
  const unrelated = range(0, size)
    .flatMap((from) => range(0, size).map((to) => ({ from, to })))
    .filter(({ from, to }) => from < to && !edges.some((edge) => joins(edge, from, to)));
  if (unrelated.length > 0 && edges.length < 6 && random.uniform() < 0.5)
    edges.push({ ...random.pick(unrelated), label: 'relation' });
  return {
    topology: edges.length === size ? 'entities-ring' : 'entities',
    nodes: nodesOf('thing', size),
    edges,
  };
};

/** A centre and its branches. */
export const star: SkeletonMaker = (size) => ({
  topology: 'star',
  nodes: [{ role: 'thing', shape: 'ellipse' }, ...nodesOf('thing', size - 1)],
  edges: range(1, size).map((to) => ({ from: 0, to })),
});

/** A star, one branch of which branches again. */
export const starWithBranch: SkeletonMaker = (size, random) => {
  const branches = 2 + random.int(size - 4);
  const expanded = 1 + random.int(branches);
  return {
    topology: 'star-branch',
    nodes: [{ role: 'thing', shape: 'ellipse' }, ...nodesOf('thing', size - 1)],
    edges: [
      ...range(1, branches + 1).map((to) => ({ from: 0, to })),
      ...range(branches + 1, size).map((to) => ({ from: expanded, to })),
    ],
  };
};

function bothWays(label: 'event' | 'relation'): (edge: SkeletonEdge) => SkeletonEdge[] {
  return ({ from, to }) => [
    { from, to, label },
    { from: to, to: from, label },
  ];
}

function joins(edge: SkeletonEdge, a: number, b: number): boolean {
  return (edge.from === a && edge.to === b) || (edge.from === b && edge.to === a);
}
