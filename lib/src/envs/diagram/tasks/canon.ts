/** What makes two tasks "the same": keys that are equal exactly for equal graphs, graph shapes and texts. */
import { hashText } from '../../../tensor/random.js';
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
  return hashText(key) % BUCKETS;
}

export const BUCKETS = 8;
