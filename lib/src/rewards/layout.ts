/** Terms that ask: can it be read? They score where things are, and never which graph it is. */
import { closingArrows } from '../envs/diagram/cycles.js';
import { boxAround, center, contains, diagonal, gap } from '../envs/diagram/geometry.js';
import { isLabelClear } from '../envs/diagram/lint.js';
import { arrowsCross, runsThrough } from '../envs/diagram/routes.js';
import { innerArea, labelFits } from '../envs/diagram/text-metrics.js';
import type { Direction, ExpectedGraph, Shape, TermValue } from '../envs/diagram/types.js';
import { pairKey, wantedOverlaps } from './collisions.js';
import type { Box, Drawing } from './drawing.js';
import type { Matching } from './matching.js';

/** Pixels by which centre lines may differ and still look aligned. */
const alignmentTolerance = 4;
/** Arrows longer than this many box diagonals make the eye travel. */
const comfortableLength = 2.5;

const perfect: TermValue = { value: 1, evidence: [] };

/** A term that is the share of items without a fault; 1 when there are none. */
function shareWithout<T>(items: readonly T[], fault: (item: T, index: number) => string | null): TermValue {
  const evidence = items.flatMap((item, index) => fault(item, index) ?? []);
  return items.length === 0 ? perfect : { value: 1 - evidence.length / items.length, evidence };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const leavesOf = (drawing: Drawing): Box[] => drawing.boxes.filter(({ isContainer }) => !isContainer);

/** Whether a box's label stays inside its inner area. */
export function labelInside({ shape, labelTexts }: Box): boolean {
  if (labelTexts.length === 0) return labelFits(shape);
  const { width, height } = innerArea(shape.shape, shape.width, shape.height);
  const inner = boxAround(center(shape), width, height);
  return labelTexts.every((text) => contains(inner, text, 0));
}

/** `fit`: share of labelled leaves whose wrapped label fits the inner area. */
export function fitTerm(drawing: Drawing): TermValue {
  const labelled = leavesOf(drawing).filter(({ label }) => label !== '');
  return shareWithout(labelled, (box) => (labelInside(box) ? null : `label of ${box.shape.id} does not fit`));
}

/** `through`: share of arrows that can be seen and pass through no foreign leaf. */
export function throughTerm(drawing: Drawing): TermValue {
  const leaves = leavesOf(drawing);
  return shareWithout(drawing.arrows, (arrow) => {
    const name = `arrow ${arrow.edge.from}>${arrow.edge.to}`;
    if (arrow.route === null) return `${name} is hidden`;
    const pierced = leaves.find(({ shape }) => runsThrough(arrow, shape));
    return pierced ? `${name} runs through ${pierced.shape.id}` : null;
  });
}

/** `crossings`: 1 / (1 + pairs of arrows that cross). */
export function crossingTerm({ arrows }: Drawing): TermValue {
  const evidence = arrows.flatMap((a, index) =>
    arrows
      .slice(index + 1)
      .filter((b) => arrowsCross(a, b))
      .map((b) => `${a.edge.from}>${a.edge.to} crosses ${b.edge.from}>${b.edge.to}`),
  );
  return { value: 1 / (1 + evidence.length), evidence };
}

/** `gap`: min(1, smallest gap between neighbours / the required gap); shapes inside one another have none. */
export function gapTerm(
  graph: ExpectedGraph,
  drawing: Drawing,
  matching: Matching,
  minGap: number,
): TermValue {
  const venn = wantedOverlaps(graph, matching);
  const shapes = [...drawing.boxes.map(({ shape }) => shape), ...drawing.looseTexts];
  let nearest = Infinity;
  let between: readonly Shape[] = [];
  shapes.forEach((a, index) => {
    for (const b of shapes.slice(index + 1)) {
      const distance = gap(a, b);
      if (distance >= nearest || contains(a, b) || contains(b, a) || venn.has(pairKey(a.id, b.id))) continue;
      nearest = distance;
      between = [a, b];
    }
  });
  if (nearest >= minGap) return perfect;
  return {
    value: nearest / minGap,
    evidence: [`${between.map(({ id }) => id).join(' and ')} are ${nearest} px apart`],
  };
}

/** `alignment`: share of leaves that share a horizontal or vertical centre line with another. */
export function alignmentTerm(drawing: Drawing): TermValue {
  const centers = leavesOf(drawing).map(({ shape }) => ({ id: shape.id, ...center(shape) }));
  if (centers.length < 2) return perfect;
  return shareWithout(centers, (a) =>
    centers.some(
      (b) =>
        b !== a && (Math.abs(a.x - b.x) <= alignmentTolerance || Math.abs(a.y - b.y) <= alignmentTolerance),
    )
      ? null
      : `${a.id} is aligned with nothing`,
  );
}

/** `length`: min(1, 2.5 × mean leaf diagonal / mean arrow length). */
export function lengthTerm(drawing: Drawing): TermValue {
  const lengths = drawing.arrows.filter(({ route }) => route?.kind === 'line').map(({ length }) => length);
  const leaves = leavesOf(drawing);
  if (lengths.length === 0 || leaves.length === 0) return perfect;
  const comfortable = comfortableLength * mean(leaves.map(({ shape }) => diagonal(shape)));
  const value = Math.min(1, comfortable / mean(lengths));
  return value === 1
    ? perfect
    : { value, evidence: [`arrows are ${Math.round(mean(lengths))} px long on average`] };
}

/** `edgeLabels`: share of labelled arrows whose label can be seen, clear of leaves, loose texts and other labels. */
export function edgeLabelTerm({ arrows, shapes }: Drawing): TermValue {
  const labelled = arrows.filter(({ edge }) => edge.label !== '');
  return shareWithout(labelled, (arrow) =>
    arrow.labelBox !== null && isLabelClear(arrow, arrows, shapes)
      ? null
      : `label "${arrow.edge.label}" of ${arrow.edge.from}>${arrow.edge.to} is covered`,
  );
}

/**
 * `direction`: share of arrows that point the requested way, from a shape to beyond its far side; 1 when the request
 * does not say. As many arrows may point back as the wanted graph has cycles to close.
 */
export function directionTerm(graph: ExpectedGraph, drawing: Drawing): TermValue {
  const { direction } = graph;
  const arrows = drawing.edges.filter(({ from, to }) => from !== to);
  if (!direction || arrows.length === 0) return perfect;
  const shapes = new Map(drawing.boxes.map(({ shape }) => [shape.id, shape]));
  const backward = arrows.filter(({ from, to }) => {
    const [source, target] = [shapes.get(from)!, shapes.get(to)!];
    return (
      !pointsAlong(direction, source, target) && !(graph.undirected && pointsAlong(direction, target, source))
    );
  });
  const excused = Math.min(backward.length, feedbackArrows(graph));
  const value = excused === arrows.length ? 0 : 1 - (backward.length - excused) / (arrows.length - excused);
  return {
    value,
    evidence: value === 1 ? [] : backward.map(({ from, to }) => `${from}>${to} does not point ${direction}`),
  };
}

function pointsAlong(direction: Direction, source: Shape, target: Shape): boolean {
  const [a, b] = [center(source), center(target)];
  switch (direction) {
    case 'LR':
      return b.x - a.x > source.width / 2;
    case 'RL':
      return a.x - b.x > source.width / 2;
    case 'TB':
      return b.y - a.y > source.height / 2;
    case 'BT':
      return a.y - b.y > source.height / 2;
  }
}

/** How many arrows close a cycle of the wanted graph: at least one of every cycle cannot point the requested way. */
export function feedbackArrows({ nodes, groups, edges }: ExpectedGraph): number {
  return closingArrows(
    [...nodes, ...groups].map(({ id }) => id),
    edges.map(({ from, to }) => [from, to]),
  ).size;
}
