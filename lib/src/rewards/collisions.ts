/** Which shapes cover each other although they should not, and how much of the drawing that spoils. */
import { area, contains, overlapArea } from '../envs/diagram/geometry.js';
import type { ExpectedGraph, Shape, TermValue } from '../envs/diagram/types.js';
import type { Drawing } from './drawing.js';
import type { Matching } from './matching.js';

/** Wanted overlaps (Venn) must cover this share of the smaller box. */
const wantedCover = { least: 0.05, most: 0.7 };
/** A quarter of a box covered is as bad as all of it: nothing can be read any more. */
const overlapSeverity = 4;

/** Two shapes that cover each other although they should not (or do not although they should), and how badly. */
export interface Collision {
  readonly a: Shape;
  readonly b: Shape;
  /** In (0, 1]. */
  readonly cost: number;
}

/**
 * All unwanted overlaps. Lying inside a wanted group is free, lying inside any other box is a full overlap; a text is
 * free in the box it labels; pairs that the request wants to overlap must cover 5–70 % of the smaller one.
 */
export function collisions(graph: ExpectedGraph, drawing: Drawing, matching: Matching): Collision[] {
  const groups = new Set(graph.groups.map(({ id }) => matching.get(id)?.box.shape.id));
  const venn = wantedOverlaps(graph, matching);
  const owner = new Map(
    drawing.boxes.flatMap((box) => box.labelTexts.map((text) => [text.id, box.shape.id])),
  );
  const shapes = shapesOf(drawing);
  return shapes.flatMap((a, index) =>
    shapes.slice(index + 1).flatMap((b) => {
      const cost = collisionCost(a, b, groups, venn, owner);
      return cost === 0 ? [] : [{ a, b, cost }];
    }),
  );
}

function shapesOf(drawing: Drawing): Shape[] {
  return [...drawing.boxes.flatMap(({ shape, labelTexts }) => [shape, ...labelTexts]), ...drawing.looseTexts];
}

/** A name for two shapes, whichever comes first. */
export function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** The produced pairs that stand for wanted overlaps. */
export function wantedOverlaps(graph: ExpectedGraph, matching: Matching): Set<string> {
  const produced = (id: string): string => matching.get(id)?.box.shape.id ?? '?';
  return new Set((graph.overlaps ?? []).map(([a, b]) => pairKey(produced(a), produced(b))));
}

function collisionCost(
  a: Shape,
  b: Shape,
  groups: ReadonlySet<string | undefined>,
  venn: ReadonlySet<string>,
  owner: ReadonlyMap<string, string>,
): number {
  const shared = overlapArea(a, b);
  const covered = shared / Math.min(area(a), area(b));
  if (venn.size > 0 && venn.has(pairKey(a.id, b.id))) {
    return covered >= wantedCover.least && covered <= wantedCover.most ? 0 : 1;
  }
  if (shared === 0 || owner.get(a.id) === b.id || owner.get(b.id) === a.id) return 0;
  if (contains(a, b)) return groups.has(a.id) ? 0 : 1;
  if (contains(b, a)) return groups.has(b.id) ? 0 : 1;
  return Math.min(1, overlapSeverity * covered);
}

/** `overlap`: 1 − mean over shapes of the worst collision each is part of. */
export function overlapTerm(drawing: Drawing, found: readonly Collision[]): TermValue {
  const shapes = shapesOf(drawing);
  if (shapes.length === 0) return { value: 1, evidence: [] };
  const worst = new Map<Shape, number>();
  for (const { a, b, cost } of found) {
    for (const shape of [a, b]) worst.set(shape, Math.max(worst.get(shape) ?? 0, cost));
  }
  const total = [...worst.values()].reduce((sum, cost) => sum + cost, 0);
  return {
    value: 1 - total / shapes.length,
    evidence: found.map(({ a, b }) => `${a.id} and ${b.id} overlap wrongly`),
  };
}
