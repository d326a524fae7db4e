import { describe, expect, it } from 'vitest';
import type { Canvas, Direction, ExpectedGraph } from 'posttrain/envs/diagram/types';
import { collisions, overlapTerm } from 'posttrain/rewards/collisions';
import { readDrawing } from 'posttrain/rewards/drawing';
import * as layout from 'posttrain/rewards/layout';
import { matchGraph } from 'posttrain/rewards/matching';
import { scoreTerms } from 'posttrain/rewards/score';
import { box, canvasOf, cleanLog, graphOf, row, taskOf, text } from './samples.js';

function overlap(graph: ExpectedGraph, canvas: Canvas): number {
  const drawing = readDrawing(canvas);
  return overlapTerm(drawing, collisions(graph, drawing, matchGraph(graph, drawing))).value;
}

const drawn = (...args: Parameters<typeof canvasOf>) => readDrawing(canvasOf(...args));

describe('overlap', () => {
  const pair = graphOf(['a A', 'b B']);
  const a = box('n1', 'A', 0, 0); // 100 × 60

  it.each([
    ['apart', box('n2', 'B', 160, 0), 1],
    ['touching', box('n2', 'B', 100, 0), 1],
    // 10 of 100 px: a tenth of the area, times 4, for both shapes
    ['a little', box('n2', 'B', 90, 0), 0.6],
    ['a quarter is as bad as all', box('n2', 'B', 75, 0), 0],
    ['the same place', box('n2', 'B', 0, 0), 0],
    // 20 × 20 inside, unwanted
    ['swallowed', box('n2', 'B', 40, 20, { width: 20, height: 20 }), 0],
  ])('%s', (_, b, expected) => {
    expect(overlap(pair, canvasOf([a, b]))).toBeCloseTo(expected, 12);
  });

  it('is a mean over shapes, each with its worst collision', () => {
    const shapes = [a, box('n2', 'B', 90, 0), box('n3', 'C', 400, 0), box('n4', 'D', 600, 0)];
    expect(overlap(pair, canvasOf(shapes))).toBeCloseTo(1 - (0.4 + 0.4) / 4, 12);
  });

  it('is free inside a wanted group and only there', () => {
    const graph = graphOf(['a A'], [], { groups: [{ id: 'g', label: 'Zone', members: ['a'] }] });
    const frame = box('g1', 'Zone', 0, 0, { width: 300, height: 200 });
    expect(overlap(graph, canvasOf([frame, box('n1', 'A', 50, 50)]))).toBe(1);
    expect(overlap(graph, canvasOf([frame, box('n1', 'A', 250, 50)]))).toBeLessThan(1);
    expect(overlap(pair, canvasOf([frame, box('n1', 'A', 50, 50)]))).toBe(0);
    const ellipse = box('g1', 'Zone', 0, 0, { width: 300, height: 200, shape: 'ellipse' });
    expect(overlap(graph, canvasOf([ellipse, box('n1', 'A', 100, 70)]))).toBe(0);
  });

  it('lets a text lie in the box it labels, but not on other boxes', () => {
    const labelled = [box('n1', '', 0, 0), text('t', 'A', 40, 20), box('n2', 'B', 160, 0)];
    expect(overlap(pair, canvasOf(labelled))).toBe(1);
    // A second text in a box that has a label of its own: text and box collide, n2 does not.
    const doubled = [a, text('t', 'A', 40, 20), box('n2', 'B', 160, 0)];
    expect(overlap(pair, canvasOf(doubled))).toBeCloseTo(1 / 3, 12);
  });

  it.each([
    ['apart', 160, 0],
    ['4 % covered', 96, 0],
    ['30 % covered', 70, 1],
    ['70 % covered', 30, 1],
    ['71 % covered', 29, 0],
  ])('wants Venn pairs to cover 5 to 70 %%: %s', (_, x, expected) => {
    const venn: ExpectedGraph = { ...pair, overlaps: [['a', 'b']] };
    expect(overlap(venn, canvasOf([a, box('n2', 'B', x, 0)]))).toBe(expected);
  });
});

describe('fit', () => {
  it('is the share of labelled leaves whose label fits', () => {
    // 'Database' is 8 · 9.6 = 76.8 px wide; a 100 px rectangle offers 90, a diamond 40.
    const shapes = [
      box('n1', 'Database', 0, 0),
      box('n2', 'Database', 200, 0, { shape: 'diamond' }),
      box('n3', '', 400, 0),
    ];
    const term = layout.fitTerm(drawn(shapes));
    expect(term).toEqual({ value: 0.5, evidence: ['label of n2 does not fit'] });
  });

  it('needs a separate text inside the inner area', () => {
    // The inner area of a 100 × 60 ellipse is 60.7 × 32.4 around (50, 30).
    const ellipse = box('n1', '', 0, 0, { shape: 'ellipse' });
    expect(layout.fitTerm(drawn([ellipse, text('t', 'AB', 40, 20)])).value).toBe(1);
    expect(layout.fitTerm(drawn([ellipse, text('t', 'AB', 5, 5)])).value).toBe(0);
  });

  it('is 1 when nothing is labelled', () => {
    expect(layout.fitTerm(drawn([])).value).toBe(1);
  });
});

describe('through', () => {
  it('is the share of arrows that meet no foreign leaf', () => {
    const term = layout.throughTerm(drawn(row.shapes, ['n1>n2', 'n1>n3']));
    expect(term).toEqual({ value: 0.5, evidence: ['arrow n1>n3 runs through n2'] });
  });

  it('lets arrows cross the border of a group', () => {
    const frame = box('g', 'Zone', 140, -20, { width: 140, height: 100 });
    expect(layout.throughTerm(drawn([frame, ...row.shapes], row.arrows)).value).toBe(1);
  });

  it('counts an arrow that cannot be seen as a fault', () => {
    const shapes = [box('n1', 'A', 0, 0), box('n2', 'B', 10, 10)];
    expect(layout.throughTerm(drawn(shapes, ['n1>n2'])).evidence).toEqual(['arrow n1>n2 is hidden']);
  });
});

describe('style', () => {
  it('halves for the first crossing', () => {
    const shapes = [
      box('a', 'A', 0, 0),
      box('b', 'B', 300, 0),
      box('c', 'C', 0, 300),
      box('d', 'D', 300, 300),
    ];
    expect(layout.crossingTerm(drawn(shapes, ['a>b', 'c>d'])).value).toBe(1);
    expect(layout.crossingTerm(drawn(shapes, ['a>d', 'b>c'])).value).toBe(0.5);
  });

  it('measures the nearest gap against the required one', () => {
    const gap = (x: number, minGap: number): number => {
      const drawing = drawn([box('n1', 'A', 0, 0), box('n2', 'B', x, 0)]);
      return layout.gapTerm(graphOf([]), drawing, new Map(), minGap).value;
    };
    expect(gap(124, 24)).toBe(1);
    expect(gap(112, 24)).toBe(0.5);
    expect(gap(130, 60)).toBe(0.5);
    expect(gap(50, 24)).toBe(0);
  });

  it('sees no gap between a group and its members', () => {
    const drawing = drawn([box('g', 'Z', 0, 0, { width: 120, height: 80 }), box('n1', 'A', 10, 10)]);
    expect(layout.gapTerm(graphOf([]), drawing, new Map(), 24).value).toBe(1);
  });

  it('aligns centres within 4 px', () => {
    const shapes = (y: number) =>
      drawn([box('a', 'A', 0, 0), box('b', 'B', 300, y), box('c', 'C', 601, 400)]);
    expect(layout.alignmentTerm(shapes(4)).value).toBeCloseTo(2 / 3, 12);
    expect(layout.alignmentTerm(shapes(5)).value).toBe(0);
  });

  it('compares arrow length with box diagonals', () => {
    // Diagonal of 80 × 60 is 100: 250 px is comfortable, and 500 px half as good.
    const length = (distance: number): number => {
      const size = { width: 80, height: 60 };
      const shapes = [box('a', 'A', 0, 0, size), box('b', 'B', 80 + distance, 0, size)];
      return layout.lengthTerm(drawn(shapes, ['a>b'])).value;
    };
    expect(length(250)).toBe(1);
    expect(length(500)).toBeCloseTo(0.5, 12);
  });

  it('wants arrow labels clear of leaves and of one another', () => {
    // 'yes' is 29 px wide: it fits into a gap of 60 px and not into one of 20.
    const shapes = (x: number) => [box('a', 'A', 0, 0), box('b', 'B', x, 0)];
    expect(layout.edgeLabelTerm(drawn(shapes(160), ['a>b yes'])).value).toBe(1);
    expect(layout.edgeLabelTerm(drawn(shapes(120), ['a>b yes'])).value).toBe(0);
    expect(layout.edgeLabelTerm(drawn(shapes(120), ['a>b'])).value).toBe(1);
  });

  it.each<[Direction, number]>([
    ['LR', 1],
    ['RL', 0],
    ['TB', 0],
    ['BT', 0],
  ])('a row of arrows to the right, %s asked: %d', (direction, expected) => {
    const graph = { ...row.graph, direction };
    expect(layout.directionTerm(graph, drawn(row.shapes, row.arrows)).value).toBe(expected);
  });

  it('does not take a slightly shifted column for a row', () => {
    const graph: ExpectedGraph = { ...graphOf(['a A', 'b B'], ['a>b']), direction: 'LR' };
    expect(
      layout.directionTerm(graph, drawn([box('a', 'A', 0, 0), box('b', 'B', 10, 200)], ['a>b'])).value,
    ).toBe(0);
  });

  it('excuses one arrow for every cycle to close', () => {
    const cycle: ExpectedGraph = {
      ...graphOf(['a A', 'b B', 'c C'], ['a>b', 'b>c', 'c>a']),
      direction: 'LR',
    };
    expect(layout.feedbackArrows(cycle)).toBe(1);
    expect(layout.directionTerm(cycle, drawn(row.shapes, ['n1>n2', 'n2>n3', 'n3>n1'])).value).toBe(1);
    expect(layout.directionTerm(cycle, drawn(row.shapes, ['n2>n1', 'n3>n2', 'n1>n3'])).value).toBe(0.5);
  });
});

describe('Y', () => {
  it('is overlap · fit · through · (0.4 + 0.6 soft), soft a mean with direction twice', () => {
    // a and b are 112 − 100 = 12 px apart (gap ½) and n3 is off every centre line (alignment 2/3); all else is perfect.
    const shapes = [box('n1', 'A', 0, 0), box('n2', 'B', 112, 0), box('n3', 'C', 300, 200)];
    const terms = scoreTerms(taskOf(row.graph), canvasOf(shapes, row.arrows), cleanLog);
    const soft = (1 + 0.5 + 2 / 3 + 1 + 1 + 2) / 7;
    expect(terms['soft']!.value).toBeCloseTo(soft, 12);
    expect(terms['layout']!.value).toBeCloseTo(0.4 + 0.6 * soft, 12);
  });
});
