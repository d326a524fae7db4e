import { describe, expect, it } from 'vitest';
import type { ActionLog, DiagramTask } from 'posttrain/envs/diagram/types';
import { defaultRules } from 'posttrain/envs/diagram/canvas';
import { rewardPresets, scoreDiagram, scorerOf, scoreTerms } from 'posttrain/rewards/score';
import { box, canvasOf, cleanLog, graphOf, row, taskOf, text } from './samples.js';

const task = taskOf(row.graph, { requests: ['Draw A to B to C'] });
const perfect = canvasOf(row.shapes, row.arrows);

/** Half of the actions failed: v = 0.5, so 0.4 + 0.6 v² = 0.55. */
const halfValid: ActionLog = {
  parsed: true,
  actions: 10,
  valid: 5,
  errors: [{ code: 'E_DANGLING', subjects: ['n1>n9'], actionIndex: 3 }],
};
const unreadable: ActionLog = {
  parsed: false,
  actions: 10,
  valid: 10,
  errors: [{ code: 'E_PARSE', subjects: [] }],
};

describe('gated', () => {
  it('pays 1 for the requested graph, well drawn', () => {
    expect(scoreDiagram(task, perfect, cleanLog)).toMatchObject({ reward: 1, success: true });
  });

  it('is 0.02 p + 0.08 v + (0.4 + 0.6 v²) K G (0.40 + 0.50 Y)', () => {
    // One arrow of two: E = 2/3, G = 0.25 + 0.75 · 2/3 = 0.75; layout perfect.
    const canvas = canvasOf(row.shapes, ['n1>n2']);
    expect(scoreDiagram(task, canvas, cleanLog).reward).toBeCloseTo(0.1 + 0.75 * 0.9, 12);
    expect(scoreDiagram(task, canvas, halfValid).reward).toBeCloseTo(0.02 + 0.04 + 0.55 * 0.75 * 0.9, 12);
    expect(scoreDiagram(task, canvasOf([]), cleanLog).reward).toBeCloseTo(0.1, 12);
  });

  it('pays nothing once a reply could not be read, whatever is on the canvas', () => {
    expect(scoreDiagram(task, perfect, unreadable)).toMatchObject({ reward: 0, success: false });
  });

  it('is gated by the change, and multiplied by what was kept, when the task starts from a canvas', () => {
    const initial = canvasOf(row.shapes, ['n1>n2']);
    const graph = graphOf(['n1 A', 'n2 B', 'n3 C'], ['n1>n2', 'n2>n3'], { keep: ['n1', 'n2', 'n3'] });
    const edit = taskOf(graph, { initial });
    expect(scoreDiagram(edit, initial, cleanLog)).toMatchObject({ reward: 0.1, success: false });
    expect(scoreDiagram(edit, perfect, cleanLog)).toMatchObject({ reward: 1, success: true });
    const moved = canvasOf([{ ...row.shapes[0]!, y: 20 }, ...row.shapes.slice(1)], row.arrows);
    const { reward, success, terms } = scoreDiagram(edit, moved, cleanLog);
    expect(terms['keep']!.value).toBeCloseTo(2 / 3, 12);
    expect(reward).toBeCloseTo(0.1 + (2 / 3) * (0.4 + 0.5 * terms['layout']!.value), 12);
    expect(success).toBe(false);
  });
});

describe('the other presets', () => {
  it('no-layout does not see a heap', () => {
    const heap = canvasOf(
      row.shapes.map((shape) => ({ ...shape, x: 0 })),
      row.arrows,
    );
    expect(rewardPresets['no-layout'](task, heap, cleanLog).reward).toBeCloseTo(1, 12);
    expect(scoreDiagram(task, heap, cleanLog).reward).toBeCloseTo(0.5, 12);
  });

  it('no-gate pays an empty canvas for being tidy', () => {
    expect(rewardPresets['no-gate'](task, canvasOf([]), cleanLog).reward).toBeCloseTo(0.1 + 0.1 + 0.4, 12);
  });

  it('naive is 0.2 p + 0.2 v + 0.4 words + 0.2 arrows − overlaps', () => {
    // Words: draw, a, to, b, c; three of five are drawn. Two arrows of five.
    expect(rewardPresets.naive(task, perfect, cleanLog).reward).toBeCloseTo(
      0.2 + 0.2 + 0.4 * 0.6 + 0.2 * 0.4,
      12,
    );
    const label = box('n1', 'Draw A to B to C', 0, 0, { width: 200 });
    expect(rewardPresets.naive(task, canvasOf([label]), cleanLog).reward).toBeCloseTo(0.8, 12);
    // Three boxes on one spot: three overlapping pairs.
    const heap = canvasOf(
      row.shapes.map((shape) => ({ ...shape, x: 0 })),
      row.arrows,
    );
    expect(rewardPresets.naive(task, heap, cleanLog).reward).toBeCloseTo(0.72 - 0.15, 12);
  });

  it('all report the same terms and the same success', () => {
    const scores = Object.values(rewardPresets).map((scorer) => scorer(task, perfect, cleanLog));
    for (const { terms, success } of scores)
      expect({ terms, success }).toEqual({ terms: scores[0]!.terms, success: true });
  });
});

describe('a reward outside [0, 1]', () => {
  it.each([
    ['NaN', { product: [NaN, 'parse'] }],
    ['infinite', { sum: [Infinity, 'parse'] }],
    ['above', { sum: [0.5, 'parse'] }],
    ['below', -0.1],
  ])('throws: %s', (_, formula) => {
    expect(() => scorerOf(formula)(task, perfect, cleanLog)).toThrow(
      /reward of task sample is .* outside \[0, 1\]/,
    );
  });

  it('throws when a log claims more valid actions than there were', () => {
    const log = { ...cleanLog, actions: 2, valid: 3 };
    expect(() => scoreDiagram(task, perfect, log)).toThrow(/term "valid".*1\.5/);
  });
});

describe('success', () => {
  const succeeds = (
    canvas: Parameters<typeof scoreDiagram>[1],
    of: DiagramTask = task,
    log = cleanLog,
  ): boolean => scoreDiagram(of, canvas, log).success;

  it('refuses any error code, even in a perfect drawing', () => {
    expect(succeeds(perfect, task, halfValid)).toBe(false);
    expect(succeeds(perfect, task, unreadable)).toBe(false);
  });

  it('refuses the smallest faults', () => {
    const [a, b, c] = row.shapes as [(typeof row.shapes)[0], (typeof row.shapes)[0], (typeof row.shapes)[0]];
    const faults = {
      punctuation: canvasOf([a, b, { ...c, text: 'C.' }], row.arrows),
      'unwanted arrow label': canvasOf(row.shapes, ['n1>n2', 'n2>n3 A']),
      'loose text': canvasOf([...row.shapes, text('t', 'hi', 0, 400)], row.arrows),
      'one pixel of overlap': canvasOf([a, { ...b, x: 99 }, c], row.arrows),
      'a duplicate with another label': canvasOf(row.shapes, [...row.arrows, 'n2>n3 again']),
      'far apart': canvasOf([a, { ...b, x: 700 }, { ...c, x: 1400 }], row.arrows),
    };
    for (const [fault, canvas] of Object.entries(faults))
      expect([fault, succeeds(canvas)]).toEqual([fault, false]);
  });

  it('stays strict in large graphs, where one fault is a small share', () => {
    const names = Array.from({ length: 12 }, (_, i) => `Node${i}`);
    const chain = names.slice(1).map((_, i) => `n${i}>n${i + 1}`);
    const graph = graphOf(
      names.map((name, i) => `n${i} ${name}`),
      chain,
    );
    const shapes = names.map((name, i) => box(`n${i}`, name, 125 * i, 0));
    expect(succeeds(canvasOf(shapes, chain), taskOf(graph))).toBe(true);
    const labelled = canvasOf(shapes, [`${chain[0]} x`, ...chain.slice(1)]);
    const { terms, success } = scoreDiagram(taskOf(graph), labelled, cleanLog);
    expect(terms['edges']!.value).toBeGreaterThan(0.985);
    expect(success).toBe(false);
  });

  it('asks for obedience to rules that differ from the usual ones', () => {
    const off = canvasOf(
      row.shapes.map((shape) => ({ ...shape, x: shape.x + 5 })),
      row.arrows,
    );
    const grid25 = taskOf(row.graph, { rules: { ...defaultRules, grid: 25 } });
    expect(succeeds(off)).toBe(true);
    expect(succeeds(perfect, grid25)).toBe(false);
    expect(
      succeeds(
        canvasOf(
          row.shapes.map((shape, i) => ({ ...shape, x: 175 * i })),
          row.arrows,
        ),
        grid25,
      ),
    ).toBe(true);
    // The gaps are 60 px.
    expect(succeeds(perfect, taskOf(row.graph, { rules: { ...defaultRules, minGap: 60 } }))).toBe(true);
    expect(succeeds(perfect, taskOf(row.graph, { rules: { ...defaultRules, minGap: 61 } }))).toBe(false);
  });
});

describe('evidence', () => {
  it('names what was found, in words, for every hard term that is not perfect', () => {
    const canvas = canvasOf(
      [row.shapes[0]!, { ...row.shapes[1]!, x: 90 }, box('n3', 'D', 320, 0)],
      ['n1>n3'],
    );
    const terms = scoreTerms({ ...task, graph: { ...row.graph, direction: 'TB' } }, canvas, halfValid);
    for (const name of ['valid', 'nodes', 'edges', 'overlap', 'through', 'direction']) {
      expect(terms[name]!.value).toBeLessThan(1);
      expect(terms[name]!.evidence).not.toEqual([]);
    }
  });
});
