/** Pipelines and flowcharts: things that happen one after another. */
import { along, nodesOf, range, type SkeletonEdge, type SkeletonMaker } from './types.js';

/** A chain whose later steps share one place to go when they fail. */
export const chainWithFailure: SkeletonMaker = (size, random) => {
  const failure = size - 1;
  const watched = random.shuffle(range(0, failure - 1)).slice(0, 1 + random.int(2));
  const failing = [...watched, ...(random.uniform() < 0.3 ? [failure - 1] : [])].sort((a, b) => a - b);
  return {
    topology: 'chain-failure',
    nodes: nodesOf('step', size),
    edges: [
      ...along(range(0, failure)),
      ...failing.map((from): SkeletonEdge => ({ from, to: failure, label: 'failure' })),
    ],
  };
};

/** A chain that goes round: its last step leads back to an earlier one. */
export const chainWithFeedback: SkeletonMaker = (size, random) => ({
  topology: 'chain-feedback',
  nodes: nodesOf('step', size),
  edges: [...along(range(0, size)), { from: size - 1, to: random.int(size - 2), label: 'again' }],
});

/** Steps, a decision, and two exits that go their own ways. */
export const decision: SkeletonMaker = (size, random) => {
  const before = 1 + random.int(size - 3);
  const yes = before + 1 + random.int(size - before - 2);
  return {
    topology: 'decision',
    nodes: [...nodesOf('step', before), { role: 'decision' }, ...nodesOf('step', size - before - 1)],
    edges: [
      ...along(range(0, before + 1)),
      { from: before, to: before + 1, label: 'yes' },
      ...along(range(before + 1, yes + 1)),
      { from: before, to: yes + 1, label: 'no' },
      ...along(range(yes + 1, size)),
    ],
  };
};

/** A question with three answers, each with a step of its own. */
export const threeExits: SkeletonMaker = (size) => {
  const before = size - 4;
  return {
    topology: 'three-exits',
    nodes: [...nodesOf('step', before), { role: 'choice' }, ...nodesOf('step', 3)],
    edges: [
      ...along(range(0, before + 1)),
      ...range(before + 1, size).map((to): SkeletonEdge => ({ from: before, to, label: 'choice' })),
    ],
  };
};

/** Two exits that meet again at one end. */
export const merge: SkeletonMaker = (size) => {
  const before = size - 4;
  const end = size - 1;
  return {
    topology: 'merge',
    nodes: [...nodesOf('step', before), { role: 'decision' }, ...nodesOf('step', 2), { role: 'end' }],
    edges: [
      ...along(range(0, before + 1)),
      { from: before, to: before + 1, label: 'yes' },
      { from: before, to: before + 2, label: 'no' },
      { from: before + 1, to: end },
      { from: before + 2, to: end },
    ],
  };
};

/** A step that is repeated, by way of a repair step, until the answer is yes. */
export const retryLoop: SkeletonMaker = (size, random) => {
  const before = size - 3;
  const repair = size - 1;
  return {
    topology: 'retry-loop',
    nodes: [...nodesOf('step', before), { role: 'decision' }, ...nodesOf('step', 2)],
    edges: [
      ...along(range(0, before + 1)),
      { from: before, to: before + 1, label: 'yes' },
      { from: before, to: repair, label: 'no' },
      { from: repair, to: random.int(before) },
    ],
  };
};

/** A decision behind an exit of another; three ends. */
export const nestedDecisions: SkeletonMaker = (size) => {
  const first = size - 5;
  return {
    topology: 'nested-decisions',
    nodes: [...nodesOf('step', first), { role: 'decision' }, { role: 'decision' }, ...nodesOf('step', 3)],
    edges: [
      ...along(range(0, first + 1)),
      { from: first, to: first + 1, label: 'yes' },
      { from: first, to: first + 4, label: 'no' },
      { from: first + 1, to: first + 2, label: 'yes' },
      { from: first + 1, to: first + 3, label: 'no' },
    ],
  };
};

/** Held out: nested decisions whose three ways meet at one end. */
export const nestedMerge: SkeletonMaker = (size, random) => {
  const nested = nestedDecisions(size - 1, random);
  const end = size - 1;
  return {
    topology: 'nested-merge',
    nodes: [...nested.nodes, { role: 'end' }],
    edges: [...nested.edges, ...range(end - 3, end).map((from) => ({ from, to: end }))],
  };
};
