/** What an edit request may ask for, as a change of the graph. */
import type { RandomStream } from '../../../../tensor/random.js';
import type { Scene, SceneEdge } from '../scene.js';
import { range } from '../skeletons/types.js';

export type EditKind = 'rename' | 'add' | 'insert' | 'connect' | 'rewire' | 'delete' | 'bypass' | 'move';

/** Training edits with the first five; `ood-edit` has the rest. */
export const commonEdits: readonly EditKind[] = ['rename', 'add', 'insert', 'connect', 'rewire'];
export const heldOutEdits: readonly EditKind[] = ['delete', 'bypass', 'move'];

export interface Change {
  readonly kind: EditKind;
  /** Nodes in the order in which the phrase of the change names them; `'new'` is the new label. */
  readonly named: readonly (number | 'new')[];
  /** All arrows afterwards; a new node has the number after the last old one. */
  readonly edges: readonly SceneEdge[];
  readonly removed?: number;
  readonly renamed?: number;
  /** A node the change may move; it is not on the keep list. */
  readonly moved?: number;
}

/** Draws one change of a graph with unlabelled arrows; nothing when this graph has no place for it. */
export function drawChange(kind: EditKind, scene: Scene, random: RandomStream): Change | undefined {
  const { edges } = scene;
  const count = scene.nodes.length;
  const without = (...gone: readonly SceneEdge[]): SceneEdge[] =>
    edges.filter((edge) => !gone.includes(edge));
  const joined = (a: number, b: number): boolean =>
    edges.some(({ from, to }) => (from === a && to === b) || (from === b && to === a));
  const strangers = (a: number): number[] => range(0, count).filter((b) => b !== a && !joined(a, b));

  switch (kind) {
    case 'rename': {
      const renamed = random.int(count);
      return { kind, named: [renamed, 'new'], edges, renamed };
    }
    case 'add': {
      const from = random.int(count);
      return { kind, named: ['new', from], edges: [...edges, { from, to: count }] };
    }
    case 'insert': {
      const edge = random.pick(edges);
      const path = [
        { from: edge.from, to: count },
        { from: count, to: edge.to },
      ];
      return { kind, named: ['new', edge.from, edge.to], edges: [...without(edge), ...path] };
    }
    case 'connect': {
      const from = random.int(count);
      const open = strangers(from);
      if (open.length === 0) return undefined;
      const to = random.pick(open);
      return { kind, named: [from, to], edges: [...edges, { from, to }] };
    }
    case 'rewire': {
      const edge = random.pick(edges);
      const open = strangers(edge.from);
      if (open.length === 0) return undefined;
      const to = random.pick(open);
      return { kind, named: [edge.from, to, edge.to], edges: [...without(edge), { from: edge.from, to }] };
    }
    case 'delete': {
      const removed = random.int(count);
      const rest = edges.filter(({ from, to }) => from !== removed && to !== removed);
      return rest.length === 0 ? undefined : { kind, named: [removed], edges: rest, removed };
    }
    case 'bypass': {
      const inner = innerOfChain(edges, count);
      if (inner.length === 0) return undefined;
      const { before, node, after } = random.pick(inner);
      const rest = without(before, after);
      return {
        kind,
        named: [node, before.from, after.to],
        edges: [...rest, { from: before.from, to: after.to }],
        removed: node,
      };
    }
    case 'move': {
      // The node leaves its place in the chain, which closes behind it, and goes between two others.
      const inner = innerOfChain(edges, count);
      if (inner.length === 0) return undefined;
      const { before, node, after } = random.pick(inner);
      const rest = without(before, after);
      if (rest.length === 0) return undefined;
      const target = random.pick(rest);
      return {
        kind,
        named: [node, target.from, target.to, before.from, after.to],
        edges: [
          ...rest.filter((edge) => edge !== target),
          { from: before.from, to: after.to },
          { from: target.from, to: node },
          { from: node, to: target.to },
        ],
        moved: node,
      };
    }
  }
}

/** Nodes with exactly one arrow in and one out. */
function innerOfChain(
  edges: readonly SceneEdge[],
  count: number,
): { before: SceneEdge; node: number; after: SceneEdge }[] {
  return range(0, count).flatMap((node) => {
    const [before, ...moreBefore] = edges.filter(({ to }) => to === node);
    const [after, ...moreAfter] = edges.filter(({ from }) => from === node);
    return before && after && moreBefore.length + moreAfter.length === 0 && before.from !== after.to
      ? [{ before, node, after }]
      : [];
  });
}
