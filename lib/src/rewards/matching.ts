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
  quality: number[][],
): number[] {
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
  return improveByExchange(graph, drawing, wanted, quality, assign(weights));
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

/** Exchanges equally good boxes while that makes more wanted arrows agree (twins cannot be told apart one by one). */
function improveByExchange(
  graph: ExpectedGraph,
  drawing: Drawing,
  wanted: readonly Wanted[],
  quality: readonly (readonly number[])[],
  start: readonly number[],
): number[] {
  const chosen = [...start];
  const rowOf = new Map(wanted.map(({ id }, row) => [id, row]));
  const arrows = new Set(drawing.edges.map(({ from, to }) => `${from}>${to}`));
  const agreement = (): number => {
    let agreeing = 0;
    for (const { from, to } of graph.edges) {
      const source = drawing.boxes[chosen[rowOf.get(from) ?? -1] ?? -1]?.shape.id;
      const target = drawing.boxes[chosen[rowOf.get(to) ?? -1] ?? -1]?.shape.id;
      if (arrows.has(`${source}>${target}`) || (graph.undirected && arrows.has(`${target}>${source}`)))
        agreeing++;
    }
    return agreeing;
  };
  const worth = (row: number, column: number): number => (column === -1 ? 0 : quality[row]![column]!);

  let best = agreement();
  for (let improved = true; improved && best < graph.edges.length;) {
    improved = false;
    for (let row = 0; row < chosen.length; row++) {
      for (let column = 0; column < drawing.boxes.length; column++) {
        const mine = chosen[row]!;
        if (mine === -1 || column === mine || quality[row]![column] === 0) continue;
        const other = chosen.indexOf(column);
        if (other !== -1 && quality[other]![mine] === 0) continue;
        const before = worth(row, mine) + (other === -1 ? 0 : worth(other, column));
        const after = worth(row, column) + (other === -1 ? 0 : worth(other, mine));
        if (Math.abs(after - before) > 1e-12) continue;
        chosen[row] = column;
        if (other !== -1) chosen[other] = mine;
        const now = agreement();
        if (now > best) {
          best = now;
          improved = true;
        } else {
          chosen[row] = mine;
          if (other !== -1) chosen[other] = column;
        }
      }
    }
  }
  return chosen;
}
