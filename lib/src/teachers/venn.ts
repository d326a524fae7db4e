/** Nodes that must overlap are laid out together as one block. */
import type { Box } from '../envs/diagram/geometry.js';
import { snap } from './grid.js';
import type { LayoutNode } from './layout.js';

/** Distance of two overlapping neighbours as a share of their size: 35 % of the area in common in a row. */
const stride = 0.65;

export interface OverlapBlocks {
  /** The nodes, every set of overlapping ones replaced by one block. */
  readonly nodes: LayoutNode[];
  /** The block that a node went into, else the node itself. */
  nameOf(id: string): string;
  /** Replaces the boxes of blocks by those of their nodes. */
  expand(boxes: ReadonlyMap<string, Box>): Map<string, Box>;
}

/** Merges nodes linked by wanted overlaps into blocks: in a row, or as a triangle when three overlap each other. */
export function placeOverlaps(
  nodes: readonly LayoutNode[],
  overlaps: readonly (readonly [string, string])[],
  grid: number,
): OverlapBlocks {
  const blockOf = new Map<string, string>();
  const inner = new Map<string, { readonly id: string; readonly box: Box }[]>();
  for (const { id } of nodes) {
    if (blockOf.has(id) || !overlaps.some((pair) => pair.includes(id))) continue;
    const members = linkedTo(id, overlaps);
    const width = Math.max(...nodes.filter((node) => members.includes(node.id)).map((node) => node.width));
    const height = Math.max(...nodes.filter((node) => members.includes(node.id)).map((node) => node.height));
    const triangle =
      members.length === 3 && overlaps.filter((pair) => members.includes(pair[0])).length === 3;
    members.forEach((member) => blockOf.set(member, id));
    inner.set(
      id,
      members.map((member, index) => {
        const [x, y] =
          triangle && index === 2
            ? [snap((stride * width) / 2, 2 * grid), snap(stride * height, 2 * grid)]
            : [snap(stride * width, 2 * grid) * index, 0];
        return { id: member, box: { x, y, width, height } };
      }),
    );
  }
  const nameOf = (id: string): string => blockOf.get(id) ?? id;
  return {
    nodes: nodes
      .filter(({ id }) => nameOf(id) === id)
      .map((node) => {
        const boxes = inner.get(node.id)?.map(({ box }) => box);
        if (boxes === undefined) return node;
        const width = Math.max(...boxes.map((box) => box.x + box.width));
        return { id: node.id, width, height: Math.max(...boxes.map((box) => box.y + box.height)) };
      }),
    nameOf,
    expand: (boxes) =>
      new Map(
        [...boxes].flatMap(([id, outer]) =>
          (inner.get(id) ?? [{ id, box: { ...outer, x: 0, y: 0 } }]).map(
            ({ id: member, box }): [string, Box] => [
              member,
              { ...box, x: outer.x + box.x, y: outer.y + box.y },
            ],
          ),
        ),
      ),
  };
}

/** A node and all that overlap it, directly or through others, in order of discovery. */
function linkedTo(start: string, overlaps: readonly (readonly [string, string])[]): string[] {
  const found = [start];
  for (const id of found) {
    for (const [a, b] of overlaps) {
      const other = a === id ? b : b === id ? a : undefined;
      if (other !== undefined && !found.includes(other)) found.push(other);
    }
  }
  return found;
}
