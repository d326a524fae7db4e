/** A drawing that turns round at the end of each line: for chains that no row can hold, and for rings. */
import type { Box } from '../envs/diagram/geometry.js';
import { snapUp } from './grid.js';
import type { LayoutGraph, LayoutStyle } from './layout.js';

/**
 * Places nodes on a grid of cells, first row left to right, second right to left, and so on, in the order in which the
 * arrows lead through them. Knows nothing of groups and directions.
 */
export function foldedLayout(
  graph: LayoutGraph,
  columns: number,
  { rankGap, nodeGap, grid }: Pick<LayoutStyle, 'rankGap' | 'nodeGap' | 'grid'>,
): Map<string, Box> {
  const cells = walk(graph).map((id, index) => {
    const node = graph.nodes.find((each) => each.id === id)!;
    const row = Math.floor(index / columns);
    const place = index % columns;
    return { node, row, column: row % 2 === 0 ? place : columns - 1 - place };
  });
  const room = Math.max(0, ...graph.nodes.map((node) => node.room ?? 0));
  const pitchX = Math.max(...graph.nodes.map(({ width }) => width)) + 2 * room + snapUp(rankGap, grid);
  const pitchY = Math.max(...graph.nodes.map(({ height }) => height)) + 2 * room + snapUp(nodeGap, grid);
  // Cells have the pitch as their size, so boxes of every size share centre lines.
  return new Map(
    cells.map(({ node: { id, width, height }, row, column }) => [
      id,
      { x: column * pitchX - width / 2, y: row * pitchY - height / 2, width, height },
    ]),
  );
}

/** Depth-first order, sources first. */
function walk({ nodes, edges }: LayoutGraph): string[] {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const { from, to } of edges) if (from === id) visit(to);
  };
  const entered = new Set(edges.map(({ to }) => to));
  nodes.filter(({ id }) => !entered.has(id)).forEach(({ id }) => visit(id));
  nodes.forEach(({ id }) => visit(id));
  return [...seen].filter((id) => nodes.some((node) => node.id === id));
}
