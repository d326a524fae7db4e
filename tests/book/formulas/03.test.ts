import { describe, expect, it } from 'vitest';
import { serializeActions, type Action, type ActionLog, type Canvas } from 'posttrain/envs';
import { drawAttacks } from 'posttrain/rewards/attacks';
import { valueOf } from 'posttrain/rewards/formula';
import { formulas, layoutFormula } from 'posttrain/rewards/presets';
import { rewardPresets, scoreDiagram, scoreTerms } from 'posttrain/rewards/score';
import { softF1 } from 'posttrain/rewards/soft-f1';
import { structureTerm } from 'posttrain/rewards/structure';
import { play } from 'posttrain/rewards/trials';
import { generateTask } from 'posttrain/envs/diagram/tasks';
import { scriptedActions } from 'posttrain/teachers';

const task = generateTask({ seed: 1, split: 'train', index: 5, profile: 'curriculum' });
const answer: readonly Action[] = scriptedActions(task, [], 0);
const clean: ActionLog = { parsed: true, actions: 5, valid: 5, errors: [] };
const right: Canvas = play(task, serializeActions(answer)).canvas;

const f1 = (agreed: number, wanted: number, drawn: number): number => (2 * agreed) / (wanted + drawn);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (values: readonly number[], others = values): number =>
  mean(values.map((value, i) => (value - mean(values)) * (others[i]! - mean(others))));
const live = (s: number, n: number): number => 1 - s ** n - (1 - s) ** n;
const majority = (q: number): number => q ** 3 + 3 * q ** 2 * (1 - q);
const grid: readonly number[] = [0, 0.25, 0.6, 1];

describe('chapter 3', () => {
  it('eq-naive', () => {
    for (const [parse, valid, words, arrows, overlaps] of [
      [1, 1, 0.75, 0.4, 0],
      [1, 0.5, 0.2, 1, 0.15],
      [1, 0, 0, 0, 1],
    ] as const) {
      const byHand = 0.2 * parse + 0.2 * valid + 0.4 * words + 0.2 * arrows - overlaps;
      expect(valueOf(formulas.naive, { parse, valid, words, arrows, overlaps })).toBeCloseTo(
        Math.min(1, Math.max(0, byHand)),
        12,
      );
    }
  });

  it('eq-f1', () => {
    const same = (item: { key: string }): string => item.key;
    const items = (...keys: string[]): { key: string }[] => keys.map((key) => ({ key }));
    const { value } = softF1(
      items('ab', 'bc'),
      items('ab', 'ba', 'bc', 'cb', 'ac', 'ca'),
      same,
      same,
      () => 1,
    );
    expect(value).toBeCloseTo(f1(2, 2, 6), 12);
    expect(value).toBe(0.5);
  });

  it('eq-structure', () => {
    const { graph } = task;
    for (const n of grid)
      for (const e of grid)
        for (const m of grid)
          expect(structureTerm(graph, n, e, m).value).toBeCloseTo(
            n * (0.25 + 0.75 * e) * (0.5 + 0.5 * m),
            12,
          );
  });

  it('eq-layout', () => {
    for (const overlap of grid)
      for (const soft of grid)
        expect(valueOf(layoutFormula, { overlap, fit: 0.8, through: 0.5, soft })).toBeCloseTo(
          overlap * 0.8 * 0.5 * (0.4 + 0.6 * soft),
          12,
        );
  });

  it('eq-gated', () => {
    for (const parse of [0, 1])
      for (const v of grid)
        for (const gate of grid)
          for (const layout of grid) {
            const terms = { parse, valid: v, keep: 0.9, gate, layout };
            const byHand =
              parse * (0.02 + 0.08 * v + (0.4 + 0.6 * v ** 2) * 0.9 * gate * (0.4 + 0.5 * layout));
            expect(valueOf(formulas.gated, terms)).toBeCloseTo(byHand, 12);
          }
    expect(0.4 + 0.6 * 0.5 ** 2).toBeCloseTo(0.55, 12);
  });

  it('example-the-naive-reward-by-hand', () => {
    const paid = (reply: string): number => {
      const { canvas, log } = play(task, reply);
      return rewardPresets.naive(task, canvas, log).reward;
    };
    expect(task.requests).toEqual(['Draw Admin panel, then Mobile app, then Profile page.']);
    expect(paid(serializeActions(answer))).toBeCloseTo(0.78, 12);
    expect(paid(drawAttacks['keyword_box']!(task, answer))).toBeCloseTo(0.8, 12);
    expect(paid(drawAttacks['complete_graph']!(task, answer))).toBeCloseTo(0.9, 12);
  });

  it('example-one-arrow-backwards', () => {
    const [first, ...others] = right.edges;
    const canvas = { ...right, edges: [{ ...first!, from: first!.to, to: first!.from }, ...others] };
    const terms = scoreTerms(task, canvas, clean);
    expect(terms['edges']!.value).toBeCloseTo(0.5, 12);
    expect(terms['structure']!.value).toBeCloseTo(0.625, 12);
    expect(terms['soft']!.value).toBeCloseTo(6 / 7, 12);
    expect(terms['layout']!.value).toBeCloseTo(0.914, 3);
    const byHand = 0.1 + 0.625 * (0.4 + 0.5 * (0.4 + 0.6 * (6 / 7)));
    expect(scoreDiagram(task, canvas, clean).reward).toBeCloseTo(byHand, 12);
    expect(byHand).toBeCloseTo(0.636, 3);
    expect(rewardPresets.naive(task, canvas, clean).reward).toBeCloseTo(0.78, 12);
  });

  it('example-when-is-there-a-signal', () => {
    expect(live(0.5, 8)).toBeCloseTo(0.992, 3);
    expect(live(0.01, 8)).toBeCloseTo(0.077, 3);
    expect(live(0.99, 8)).toBeCloseTo(0.077, 3);
    expect(12 / 13).toBeCloseTo(1 - live(0.01, 8), 2);
    expect(0.8 ** 10).toBeCloseTo(0.107, 3);
    expect(0.5 ** 10).toBeCloseTo(0.001, 3);
  });

  it('example-whom-the-judge-pays', () => {
    const [s, a, b] = [0.1, 0.9, 0.3];
    expect((s * a) / (s * a + (1 - s) * b)).toBeCloseTo(0.25, 12);
    expect(majority(0.9)).toBeCloseTo(0.972, 12);
  });

  it('example-four-failures-and-still-something-to-learn', () => {
    const rewards = [2, 0, 1, 1].map((violations) => 0 - 0.5 * violations);
    expect(mean(rewards)).toBe(-0.5);
    expect(rewards.map((reward) => reward - mean(rewards))).toEqual([-0.5, 0.5, 0, 0]);
  });

  it('exercise-every-arrow', () => {
    const e = f1(4, 4, 20);
    expect(e).toBeCloseTo(1 / 3, 12);
    const gate = structureTerm({ ...task.graph, groups: [] }, 1, e, 1).value;
    expect(gate).toBeCloseTo(0.5, 12);
    expect(valueOf(formulas.gated, { parse: 1, valid: 1, keep: 1, gate, layout: 1 })).toBeCloseTo(0.55, 12);
  });

  it('exercise-three-votes', () => {
    expect(majority(0.3)).toBeCloseTo(0.216, 12);
    expect(majority(0.6)).toBeCloseTo(0.648, 12);
  });

  it('exercise-live-groups', () => {
    expect(live(0.1, 8)).toBeCloseTo(0.57, 3);
    expect(live(0.1, 16)).toBeCloseTo(0.815, 3);
    expect(Math.max(...[0.3, 0.45, 0.5, 0.55, 0.7].map((s) => live(s, 8)))).toBe(live(0.5, 8));
  });

  it('exercise-spread', () => {
    const outcomes = [1, 1, 0, 0];
    const path = [-1, -1, 0, 0];
    for (const [beta, expected] of [
      [0.5, 0.0625],
      [1, 0],
    ] as const) {
      const total = outcomes.map((outcome, i) => outcome + beta * path[i]!);
      const byParts = spread(outcomes) + beta ** 2 * spread(path) + 2 * beta * spread(outcomes, path);
      expect(spread(total)).toBeCloseTo(expected, 12);
      expect(byParts).toBeCloseTo(expected, 12);
    }
  });
});
