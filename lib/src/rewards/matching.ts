/** Which produced box stands for which wanted node or group. */
import type { ExpectedGraph } from '../envs/diagram/types.js';
import { assign } from './assignment.js';
import type { Box, Drawing } from './drawing.js';
import { bagOverlap, foldedSimilarity, foldLabel } from './similarity.js';
import type { FoldedLabel } from './similarity.js';

/** What a right label in a wrong shape is still worth. */
const wrongShapeFactor = 0.9;

/** Far below any difference between two similarities: it only decides between equals. */
const tieBreak = 1e-6;

export interface Pair {
  readonly box: Box;
  /** Label similarity times the shape factor, in (0, 1]. */
  readonly quality: number;
}

/** The pair of each wanted node or group, by wanted id; unmatched ones are absent. */
export type Matching = ReadonlyMap<string, Pair>;

interface Wanted {
  readonly id: string;
  readonly label: FoldedLabel;
  readonly shape?: string;
  readonly isGroup: boolean;
}

/**
 * The best one-to-one matching of wanted nodes with leaves and wanted groups with containers, by label similarity.
 * Where labels repeat, the matching that makes more arrows agree is preferred.
 */
export function matchGraph(graph: ExpectedGraph, drawing: Drawing): Matching {
  const wanted: Wanted[] = [
    ...graph.nodes.map(({ id, label, shape }) => ({ id, label: foldLabel(label), shape, isGroup: false })),
    ...graph.groups.map(({ id, label }) => ({ id, label: foldLabel(label), isGroup: true })),
  ];
  const { boxes } = drawing;
  const quality = wanted.map((node) => boxes.map((box) => pairQuality(node, box)));
  const chosen = breakTies(graph, drawing, wanted, quality);
  return new Map(
    wanted.flatMap((node, row) => {
      const column = chosen[row]!;
      return column === -1 ? [] : [[node.id, { box: boxes[column]!, quality: quality[row]![column]! }]];
    }),
  );
}

function pairQuality(wanted: Wanted, box: Box): number {
  if (wanted.isGroup !== box.isContainer) return 0;
  const alike = foldedSimilarity(wanted.label, box.folded);
  return wanted.shape === undefined || wanted.shape === box.shape.shape ? alike : alike * wrongShapeFactor;
}

function breakTies(
  graph: ExpectedGraph,
  drawing: Drawing,
  wanted: readonly Wanted[],
  quality: readonly (readonly number[])[],
): readonly number[] {
  const columnsAlike = quality.some((row) => row.filter((value) => value > 0).length > 1);
  const rowsAlike = drawing.boxes.some((_, column) => quality.filter((row) => row[column]! > 0).length > 1);
  if (!columnsAlike && !rowsAlike) return assign(quality);

  const wantedArrows = arrowBags(
    wanted.map(({ id, label }) => [id, label.text]),
    graph.edges,
    graph.undirected === true,
  );
  const producedArrows = arrowBags(
    drawing.boxes.map(({ shape, folded }) => [shape.id, folded.text]),
    drawing.edges,
    graph.undirected === true,
  );
  const weights = quality.map((row, r) =>
    row.map((value, c) =>
      value === 0 ? 0 : value + tieBreak * bagOverlap(wantedArrows[r]!, producedArrows[c]!),
    ),
  );
  return mostAgreeing(graph, drawing, wanted, quality, assign(weights));
}

interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** For each node the sorted bag of its arrows, seen from it: direction and the label at the other end. */
function arrowBags(
  nodes: readonly (readonly [id: string, label: string])[],
  arrows: readonly Arrow[],
  undirected: boolean,
): string[][] {
  const bags = new Map(nodes.map(([id, label]) => [id, { label, arrows: [] as string[] }]));
  const [out, into] = undirected ? ['-', '-'] : ['>', '<'];
  for (const { from, to } of arrows) {
    const [source, target] = [bags.get(from), bags.get(to)];
    if (!source || !target) continue;
    source.arrows.push(out + target.label);
    target.arrows.push(into + source.label);
  }
  return nodes.map(([id]) => bags.get(id)!.arrows.sort());
}

/** Visits after which the search settles for the best found: enough for any graph whose labels mostly differ. */
const searchLimit = 2_000;

/**
 * Among the assignments that give every node a box as good as `start` does, the one with the most agreeing arrows, by
 * branch and bound: twins cannot be told apart one at a time.
 */
function mostAgreeing(
  graph: ExpectedGraph,
  drawing: Drawing,
  wanted: readonly Wanted[],
  quality: readonly (readonly number[])[],
  start: readonly number[],
): readonly number[] {
  const rowOf = new Map(wanted.map(({ id }, row) => [id, row]));
  const arrows = graph.edges
    .map(({ from, to }) => [rowOf.get(from), rowOf.get(to)] as const)
    .filter((ends): ends is [number, number] => ends.every((row) => row !== undefined && start[row] !== -1));
  const decidedAt = wanted.map((_, row) => arrows.filter((ends) => Math.max(...ends) === row));
  const drawn = new Set(drawing.edges.map(({ from, to }) => `${from}>${to}`));
  const ids = drawing.boxes.map(({ shape }) => shape.id);
  const candidates = quality.map((row, r) => {
    const given = start[r]!;
    return [given, ...ids.keys()].filter((c, i) => i === 0 || (c !== given && row[c] === row[given]));
  });

  const chosen = [...start];
  const taken = new Set<number>();
  let best = start;
  let bestMissing = Infinity;
  let visits = 0;
  const extend = (row: number, missing: number): void => {
    if (missing >= bestMissing || visits++ > searchLimit) return;
    if (row === wanted.length) {
      best = [...chosen];
      bestMissing = missing;
      return;
    }
    for (const column of candidates[row]!) {
      if (taken.has(column)) continue;
      chosen[row] = column;
      if (column !== -1) taken.add(column);
      const absent = decidedAt[row]!.filter(([from, to]) => {
        const [source, target] = [ids[chosen[from]!], ids[chosen[to]!]];
        return !drawn.has(`${source}>${target}`) && !(graph.undirected && drawn.has(`${target}>${source}`));
      });
      extend(row + 1, missing + absent.length);
      taken.delete(column);
    }
  };
  extend(0, 0);
  return best;
}
