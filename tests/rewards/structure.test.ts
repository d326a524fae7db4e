import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Canvas, ExpectedGraph } from 'posttrain/envs/diagram/types';
import { readDrawing } from 'posttrain/rewards/drawing';
import { matchGraph } from 'posttrain/rewards/matching';
import {
  edgeTerm,
  memberTerm,
  nodeTerm,
  parseTerm,
  structureTerm,
  validTerm,
} from 'posttrain/rewards/structure';
import { box, canvasOf, cleanLog, graphOf, row, text } from './samples.js';

function terms(graph: ExpectedGraph, canvas: Canvas) {
  const drawing = readDrawing(canvas);
  const matching = matchGraph(graph, drawing);
  return {
    N: nodeTerm(graph, drawing, matching),
    E: edgeTerm(graph, drawing, matching),
    M: memberTerm(graph, drawing, matching),
    matched: Object.fromEntries([...matching].map(([id, pair]) => [id, pair.box.shape.id])),
  };
}

describe('parse and valid', () => {
  it('are 1 for a clean log', () => {
    expect(parseTerm(cleanLog)).toEqual({ value: 1, evidence: [] });
    expect(validTerm(cleanLog)).toEqual({ value: 1, evidence: [] });
  });

  it('count valid actions and name the errors', () => {
    const log = {
      parsed: true,
      actions: 4,
      valid: 3,
      errors: [{ code: 'E_DANGLING', subjects: ['n1>n9'], actionIndex: 2 }],
    } as const;
    expect(validTerm(log)).toEqual({ value: 0.75, evidence: ['E_DANGLING n1>n9'] });
  });

  it('are 0 for no actions and an unreadable reply', () => {
    const log = { parsed: false, actions: 0, valid: 0, errors: [{ code: 'E_PARSE', subjects: [] }] } as const;
    expect(parseTerm(log)).toEqual({ value: 0, evidence: ['E_PARSE'] });
    expect(validTerm(log).value).toBe(0);
  });
});

describe('N', () => {
  const { graph, shapes, arrows } = row;

  it('is 1 when every node is there, and ids do not matter', () => {
    expect(terms(graph, canvasOf(shapes, arrows)).N).toEqual({ value: 1, evidence: [] });
  });

  it.each([
    ['a missing node', shapes.slice(0, 2), 4 / 5],
    ['an extra box', [...shapes, box('n4', 'D', 480, 0)], 6 / 7],
    ['a loose text', [...shapes, text('t1', 'note', 480, 0)], 6 / 6.5],
    ['a twin', [...shapes, box('n4', 'A', 480, 0)], 6 / 7],
    ['a wrong label', [shapes[0]!, shapes[1]!, box('n3', 'X', 320, 0)], 4 / 6],
    ['punctuation', [shapes[0]!, shapes[1]!, box('n3', 'C!', 320, 0)], (2 * 2.9) / 6],
    ['nothing', [], 0],
  ])('counts %s', (_, drawn, expected) => {
    expect(terms(graph, canvasOf(drawn)).N.value).toBeCloseTo(expected, 12);
  });

  it('takes a tenth off for a wrong requested shape', () => {
    const wanted: ExpectedGraph = {
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, shape: 'ellipse' })),
    };
    expect(terms(wanted, canvasOf(shapes)).N.value).toBeCloseTo(0.9, 12);
  });

  it('reads a label from a text shape inside the box', () => {
    const labelled = [box('n1', '', 0, 0), text('t', 'A', 40, 20), ...shapes.slice(1)];
    expect(terms(graph, canvasOf(labelled)).N.value).toBe(1);
  });

  it('never matches empty labels', () => {
    const wanted = graphOf(['a ', 'b ']);
    expect(terms(wanted, canvasOf([box('n1', '', 0, 0), box('n2', '', 160, 0)])).N.value).toBe(0);
  });

  it('says what is missing and what is too much', () => {
    const drawn = [shapes[0]!, shapes[1]!, box('n3', 'X', 320, 0)];
    expect(terms(graph, canvasOf(drawn)).N.evidence).toEqual(['missing "C"', 'extra box n3 "X"']);
  });

  it('matches groups with containers and nodes with leaves only', () => {
    const grouped = graphOf(['a A'], [], { groups: [{ id: 'g', label: 'Zone', members: ['a'] }] });
    const frame = box('g1', 'Zone', 0, 0, { width: 200, height: 160 });
    expect(terms(grouped, canvasOf([frame, box('n1', 'A', 50, 50)])).N.value).toBe(1);
    // The group's label on a leaf: only A matches, 2 · 1 / (2 + 2).
    expect(terms(grouped, canvasOf([box('g1', 'Zone', 0, 0), box('n1', 'A', 160, 0)])).N.value).toBe(0.5);
    // The node's label on a container: nothing matches.
    expect(terms(grouped, canvasOf([{ ...frame, text: 'A' }, box('n1', 'Zone', 50, 50)])).N.value).toBe(0);
  });
});

describe('E', () => {
  const { graph, shapes } = row;

  it.each([
    ['all', ['n1>n2', 'n2>n3'], 1],
    ['one missing', ['n1>n2'], 2 / 3],
    ['one reversed', ['n1>n2', 'n3>n2'], 2 / 4],
    ['one extra', ['n1>n2', 'n2>n3', 'n1>n3'], 4 / 5],
    ['an unwanted label', ['n1>n2', 'n2>n3 C'], 3.8 / 4],
    ['a parallel one', ['n1>n2', 'n1>n2 again', 'n2>n3'], 4 / 5],
    ['none', [], 0],
  ])('%s', (_, arrows, expected) => {
    expect(terms(graph, canvasOf(shapes, arrows)).E.value).toBeCloseTo(expected, 12);
  });

  it('splits an arrow between its ends and its wanted label', () => {
    const wanted = graphOf(['a A', 'b B'], ['a>b pay at counter']);
    const e = (arrow: string): number => terms(wanted, canvasOf(shapes.slice(0, 2), [arrow])).E.value;
    expect(e('n1>n2 Pay at counter')).toBe(1);
    expect(e('n1>n2')).toBe(0.5);
    expect(e('n1>n2 refuse')).toBe(0.5);
    expect(e('n1>n2 pay counter')).toBeCloseTo(0.5 + 0.5 * 0.64, 12);
  });

  it('pairs parallel arrows for the best total', () => {
    const wanted = graphOf(['a A', 'b B'], ['a>b reads', 'a>b writes']);
    expect(terms(wanted, canvasOf(shapes.slice(0, 2), ['n1>n2 writes', 'n1>n2 reads'])).E.value).toBe(1);
  });

  it('accepts either direction only when the graph is undirected', () => {
    const wanted = graphOf(['a A', 'b B'], ['a>b']);
    const drawn = canvasOf(shapes.slice(0, 2), ['n2>n1']);
    expect(terms(wanted, drawn).E.value).toBe(0);
    expect(terms({ ...wanted, undirected: true }, drawn).E.value).toBe(1);
  });

  it('is 1 / (1 + arrows) when no arrows are wanted', () => {
    const wanted = graphOf(['a A', 'b B', 'c C']);
    expect(terms(wanted, canvasOf(shapes)).E.value).toBe(1);
    expect(terms(wanted, canvasOf(shapes, ['n1>n2', 'n2>n3'])).E.value).toBeCloseTo(1 / 3, 12);
  });

  it('counts self-loops as arrows of their own', () => {
    const wanted = graphOf(['a A', 'b B'], ['a>a retry', 'a>b']);
    expect(terms(wanted, canvasOf(shapes.slice(0, 2), ['n1>n1 retry', 'n1>n2'])).E.value).toBe(1);
    expect(terms(wanted, canvasOf(shapes.slice(0, 2), ['n2>n2 retry', 'n1>n2'])).E.value).toBe(0.5);
  });

  it('names what is wrong', () => {
    expect(terms(graph, canvasOf(shapes, ['n1>n2 no', 'n3>n2'])).E.evidence).toEqual([
      'missing arrow "B">"C"',
      'extra arrow n3>n2',
      'arrow n1>n2 says "no", not ""',
    ]);
  });
});

describe('repeated labels', () => {
  it('are told apart by their arrows', () => {
    const graph = graphOf(['a1 Cache', 'b1 Web', 'a2 Cache', 'b2 Mail'], ['b1>a1', 'b2>a2']);
    const shapes = [
      box('p', 'Cache', 0, 0),
      box('q', 'Cache', 200, 0),
      box('r', 'Web', 0, 200),
      box('s', 'Mail', 200, 200),
    ];
    expect(terms(graph, canvasOf(shapes, ['r>q', 's>p'])).matched).toEqual({
      a1: 'q',
      b1: 'r',
      a2: 'p',
      b2: 's',
    });
  });

  it('are exchanged in pairs when no single node can tell', () => {
    const graph = graphOf(['a1 X', 'b1 Y', 'a2 X', 'b2 Y', 'a3 X', 'b3 Y'], ['a1>b1', 'a2>b2', 'a3>b3']);
    const shapes = ['X', 'Y', 'X', 'Y', 'X', 'Y'].map((label, i) => box(`n${i}`, label, 200 * i, 0));
    expect(terms(graph, canvasOf(shapes, ['n0>n5', 'n2>n1', 'n4>n3'])).E.value).toBe(1);
  });

  it('never cost a correct drawing anything, whatever the order of its shapes', () => {
    const arbitrary = fc.integer({ min: 2, max: 5 }).chain((size) =>
      fc.record({
        labels: fc.array(fc.constantFrom('X', 'Y', 'Z'), { minLength: size, maxLength: size }),
        arrows: fc.uniqueArray(
          fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).map(([a, b]) => `a${a}>a${b}`),
          { minLength: 1, maxLength: 6 },
        ),
        order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      }),
    );
    fc.assert(
      fc.property(arbitrary, ({ labels, arrows, order }) => {
        const graph = graphOf(
          labels.map((label, i) => `a${i} ${label}`),
          arrows,
        );
        const shapes = order.map((i, place) => box(`a${i}`, labels[i]!, 200 * place, 0));
        expect(terms(graph, canvasOf(shapes, arrows)).E.value).toBe(1);
      }),
      { numRuns: 300 },
    );
  });
});

describe('M', () => {
  const graph = graphOf(['a A', 'b B', 'c C'], [], {
    groups: [{ id: 'g', label: 'Zone', members: ['a', 'b'] }],
  });
  const frame = (width: number) => box('g1', 'Zone', 0, 0, { width, height: 140 });
  const inside = [box('n1', 'A', 40, 40), box('n2', 'B', 180, 40)];

  it('is 1 without wanted groups', () => {
    expect(terms(row.graph, canvasOf(row.shapes)).M.value).toBe(1);
  });

  it.each([
    ['exactly the members', [frame(320), ...inside, box('n3', 'C', 400, 40)], 1],
    ['one member short', [frame(160), ...inside, box('n3', 'C', 400, 40)], 1 / 2],
    ['one too many', [frame(500), ...inside, box('n3', 'C', 320, 40)], 2 / 3],
    ['no group at all', [...inside, box('n3', 'C', 400, 40)], 0],
  ])('%s', (_, shapes, expected) => {
    expect(terms(graph, canvasOf(shapes)).M.value).toBeCloseTo(expected, 12);
  });

  it('counts direct members of nested groups', () => {
    const nested = graphOf(['a A', 'b B'], [], {
      groups: [
        { id: 'outer', label: 'Cloud', members: ['b', 'inner'] },
        { id: 'inner', label: 'Zone', members: ['a'] },
      ],
    });
    const shapes = [
      box('o', 'Cloud', 0, 0, { width: 400, height: 200 }),
      box('i', 'Zone', 20, 30, { width: 160, height: 150 }),
      box('n1', 'A', 50, 60),
      box('n2', 'B', 240, 60),
    ];
    expect(terms(nested, canvasOf(shapes))).toMatchObject({ N: { value: 1 }, M: { value: 1 } });
  });
});

describe('G', () => {
  it('multiplies nodes, arrows and members', () => {
    expect(structureTerm(row.graph, 0.8, 0.6, 0.5).value).toBeCloseTo(0.8 * 0.7 * 0.75, 12);
    expect(structureTerm(graphOf(['a A']), 0.8, 0.5, 1).value).toBeCloseTo(0.4, 12);
  });
});
