/** What makes two tasks "the same": keys that are equal exactly for equal graphs, graph shapes and texts. */
import { hashText, uniform } from '../../../tensor/random.js';
import type { ExpectedGraph } from '../types.js';

/** The labelled graph, whatever the order and the ids of its parts. */
export function graphKey(graph: ExpectedGraph): string {
  const names = new Map([...graph.nodes, ...graph.groups].map(({ id, label }) => [id, textKey(label)]));
  const name = (id: string): string => names.get(id) ?? id;
  return JSON.stringify([
    graph.nodes.map(({ id }) => name(id)).sort(),
    graph.edges.map(({ from, to, label }) => `${name(from)}>${name(to)}:${label ?? ''}`).sort(),
    graph.groups.map(({ id, members }) => `${name(id)}(${members.map(name).sort().join()})`).sort(),
  ]);
}

/**
 * The unlabelled graph up to isomorphism, by Weisfeiler-Lehman colour refinement (Weisfeiler & Leman 1968): exact
 * enough for graphs of this size.
 */
export function shapeKey(graph: ExpectedGraph): string {
  const overlaps = (graph.overlaps ?? []).map(([from, to]) => ({ from, to }));
  const inside = graph.groups.flatMap(({ id, members }) =>
    members.map((member) => ({ from: id, to: member })),
  );
  const links = [
    ...graph.edges.flatMap(({ from, to }) => [
      { at: from, other: to, mark: graph.undirected ? 'line' : 'out' },
      { at: to, other: from, mark: graph.undirected ? 'line' : 'in' },
    ]),
    ...overlaps.flatMap(({ from, to }) => [
      { at: from, other: to, mark: 'overlap' },
      { at: to, other: from, mark: 'overlap' },
    ]),
    ...inside.flatMap(({ from, to }) => [
      { at: from, other: to, mark: 'holds' },
      { at: to, other: from, mark: 'held' },
    ]),
  ];
  const ids = [...graph.nodes, ...graph.groups].map(({ id }) => id);
  let colours = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < ids.length; round++) {
    const previous = colours;
    colours = new Map(
      ids.map((id) => {
        const around = links
          .filter(({ at }) => at === id)
          .map(({ other, mark }) => `${mark}${previous.get(other)}`);
        return [id, hashText(`${previous.get(id)}|${around.sort().join()}`)];
      }),
    );
  }
  return JSON.stringify([ids.length, graph.edges.length, ...[...colours.values()].sort((a, b) => a - b)]);
}

/**
 * Whether the graph has a structure that training never sees: no arrows, lines, overlaps, self-loops, arrows both ways,
 * two nodes that share two targets, or nested branches that meet again. Depends on the unlabelled graph alone, so
 * graphs on different sides are never isomorphic.
 */
export function hasHeldOutStructure(graph: ExpectedGraph): boolean {
  const { nodes, edges } = graph;
  if (edges.length === 0 || graph.undirected || (graph.overlaps ?? []).length > 0) return true;
  const targets = new Map(
    nodes.map(({ id }) => [id, edges.filter(({ from }) => from === id).map(({ to }) => to)]),
  );
  const to = (id: string): string[] => targets.get(id) ?? [];
  if (edges.some(({ from, to: end }) => from === end || to(end).includes(from))) return true;
  const ids = nodes.map(({ id }) => id);
  const sharesTwo = ids.some((a, i) =>
    ids.slice(i + 1).some((b) => new Set(to(a).filter((end) => to(b).includes(end))).size > 1),
  );
  return sharesTwo || hasNestedMerge(ids, edges, to);
}

/** One branching node behind another, and behind both a node that only unbranched nodes lead to. */
function hasNestedMerge(
  ids: readonly string[],
  edges: ExpectedGraph['edges'],
  to: (id: string) => readonly string[],
): boolean {
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let id = open.pop(); id !== undefined; id = open.pop())
      for (const next of to(id))
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const branching = ids.filter((id) => to(id).length > 1).map((id) => ({ id, reach: reach(id) }));
  const merges = ids.filter((id) => {
    const sources = edges.filter(({ to: end }) => end === id);
    return sources.length > 1 && sources.every(({ from }) => to(from).length === 1);
  });
  return branching.some((outer) =>
    branching.some(
      (inner) =>
        inner !== outer && outer.reach.has(inner.id) && merges.some((merge) => inner.reach.has(merge)),
    ),
  );
}

/** A text without what does not change its meaning here: case, width, punctuation around words, spacing. */
export function textKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s，。：；、！“”‘’"'!,.;]+/g, ' ')
    .trim();
}

/** Which of `BUCKETS` equal shares of the universe a key falls into. */
export function bucketOf(key: string): number {
  return Math.floor(uniform(0, key, 0, 0) * BUCKETS);
}

export const BUCKETS = 8;
