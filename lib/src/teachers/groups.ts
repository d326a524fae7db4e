/** Frames around nodes that belong together. */
import type { Box } from '../envs/diagram/geometry.js';
import { snapUp } from './grid.js';

export interface LayoutGroup {
  readonly id: string;
  /** Ids of nodes or of other groups. */
  readonly members: readonly string[];
  /** Pixels that the title needs. */
  readonly titleWidth: number;
}

/** Pixels between a group's border and its members, and for the title above them; both are rounded up to the grid. */
export const groupPadding = 20;
export const groupTitle = 30;

/** Adds to the boxes of the nodes a box for every group: around its members, with a border, and its title on top. */
export function wrapGroups(
  nodes: ReadonlyMap<string, Box>,
  groups: readonly LayoutGroup[],
  grid: number,
): Map<string, Box> {
  const boxes = new Map(nodes);
  const groupOf = new Map(groups.map((group) => [group.id, group]));
  const padding = snapUp(groupPadding, grid);
  const title = snapUp(groupTitle, grid);
  const wrap = (id: string): Box => {
    const group = groupOf.get(id);
    const known = boxes.get(id);
    if (known !== undefined || group === undefined) return known!;
    const inner = group.members.map(wrap);
    const left = Math.min(...inner.map(({ x }) => x)) - padding;
    const right = Math.max(...inner.map(({ x, width }) => x + width)) + padding;
    const top = Math.min(...inner.map(({ y }) => y)) - padding - title;
    const bottom = Math.max(...inner.map(({ y, height }) => y + height)) + padding;
    const missing = snapUp(Math.max(0, group.titleWidth - (right - left)) / 2, grid);
    const box = { x: left - missing, y: top, width: right - left + 2 * missing, height: bottom - top };
    boxes.set(id, box);
    return box;
  };
  groups.forEach(({ id }) => wrap(id));
  return boxes;
}
