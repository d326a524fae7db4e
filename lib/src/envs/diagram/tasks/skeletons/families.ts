/** Which graphs belong to which family, and which of them training never sees. */
import type { Direction } from '../../types.js';
import {
  bipartite,
  gateway,
  joinedShapes,
  layers,
  looseShapes,
  nestedGroups,
  oneGroup,
  twoGroups,
  venn,
} from './arrangements.js';
import {
  chainWithFailure,
  chainWithFeedback,
  decision,
  merge,
  nestedDecisions,
  nestedMerge,
  retryLoop,
  threeExits,
} from './flow.js';
import { chain, gather, hub, stem, tree } from './plain.js';
import {
  conversation,
  cycle,
  entities,
  progress,
  selfLoops,
  star,
  starWithBranch,
  startToEnd,
  twoWayStates,
} from './relations.js';
import type { Topology } from './types.js';

export interface Family {
  readonly name: string;
  /** Flow direction under rules R0; absent where a picture of this kind has none. */
  readonly direction?: Direction;
  readonly topologies: readonly Topology[];
}

export const families: readonly Family[] = [
  {
    name: 'pipeline',
    direction: 'LR',
    topologies: [
      { make: chain('step'), sizes: [3, 8] },
      { make: chain('thing'), sizes: [3, 8] },
      { make: chainWithFailure, sizes: [4, 8] },
      { make: chainWithFeedback, sizes: [3, 8] },
    ],
  },
  {
    name: 'flowchart',
    direction: 'LR',
    topologies: [
      { make: decision, sizes: [4, 8] },
      { make: threeExits, sizes: [5, 8] },
      { make: merge, sizes: [5, 9] },
      { make: retryLoop, sizes: [4, 8] },
      { make: nestedDecisions, sizes: [6, 9] },
    ],
  },
  {
    name: 'architecture',
    direction: 'LR',
    topologies: [
      { make: layers, sizes: [3, 10] },
      { make: stem, sizes: [4, 8] },
      { make: gateway, sizes: [4, 8] },
      { make: hub, sizes: [4, 9] },
      { make: gather, sizes: [3, 8] },
    ],
  },
  { name: 'tree', direction: 'TB', topologies: [{ make: tree, sizes: [3, 10] }] },
  {
    name: 'mindmap',
    topologies: [
      { make: star, sizes: [4, 8] },
      { make: starWithBranch, sizes: [5, 9] },
    ],
  },
  {
    name: 'state',
    topologies: [
      { make: cycle, sizes: [3, 7] },
      { make: progress, sizes: [3, 7] },
      { make: startToEnd, sizes: [4, 8] },
    ],
  },
  { name: 'entity', topologies: [{ make: entities, sizes: [3, 8] }] },
  {
    name: 'groups',
    topologies: [
      { make: oneGroup, sizes: [3, 7] },
      { make: twoGroups, sizes: [4, 9] },
      { make: nestedGroups, sizes: [4, 8] },
    ],
  },
];

/** The graphs of `ood-topology`; the families `interaction` and `basic` appear nowhere else. */
export const heldOutFamilies: readonly Family[] = [
  { name: 'flowchart', direction: 'LR', topologies: [{ make: nestedMerge, sizes: [6, 7] }] },
  {
    name: 'state',
    topologies: [
      { make: twoWayStates, sizes: [2, 4] },
      { make: selfLoops, sizes: [2, 4] },
    ],
  },
  { name: 'architecture', direction: 'LR', topologies: [{ make: bipartite, sizes: [4, 5] }] },
  { name: 'interaction', topologies: [{ make: conversation, sizes: [2, 4] }] },
  {
    name: 'basic',
    topologies: [
      { make: looseShapes, sizes: [2, 5] },
      { make: joinedShapes, sizes: [2, 5] },
      { make: venn, sizes: [2, 3] },
    ],
  },
];
