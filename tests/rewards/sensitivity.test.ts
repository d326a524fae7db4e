import { describe, expect, it } from 'vitest';
import type { Canvas, DiagramTask, Edge, Shape } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/score';
import { verifyDiagram } from 'posttrain/rewards/verifier';
import { casesOf } from './cases.js';
import { cleanLog } from './samples.js';

const cases = [
  ...casesOf('curriculum', ['train', 'ood-size'], 5),
  ...casesOf('full', ['train', 'ood-size', 'ood-topology', 'ood-lang'], 4),
].filter(({ task }) => task.initial === undefined);

type Fault = (canvas: Canvas, task: DiagramTask) => Canvas[];

const without = <T>(items: readonly T[], index: number): T[] => items.filter((_, i) => i !== index);
const replaced = <T>(items: readonly T[], index: number, item: T): T[] =>
  items.map((old, i) => (i === index ? item : old));

/** One fault at a time, wherever it can be made; with the least that each must cost. */
const faults: Readonly<Record<string, readonly [least: number, fault: Fault]>> = {
  'a lost arrow': [
    0.02,
    (canvas) => canvas.edges.map((_, i) => ({ ...canvas, edges: without(canvas.edges, i) })),
  ],
  'a reversed arrow': [
    0.05,
    (canvas, { graph }) =>
      canvas.edges.flatMap((edge, i) => {
        const back: Edge = { ...edge, from: edge.to, to: edge.from };
        return graph.undirected || edge.from === edge.to
          ? []
          : { ...canvas, edges: replaced(canvas.edges, i, back) };
      }),
  ],
  'an arrow too many': [
    0.005,
    (canvas) => {
      const ids = canvas.shapes.map(({ id }) => id);
      const known = new Set(canvas.edges.flatMap(({ from, to }) => [`${from}>${to}`, `${to}>${from}`]));
      const free = ids.flatMap((from) => ids.map((to) => ({ from, to, label: '' })));
      return free
        .filter(({ from, to }) => from < to && !known.has(`${from}>${to}`))
        .slice(0, 3)
        .map((edge) => ({ ...canvas, edges: [...canvas.edges, edge] }));
    },
  ],
  'a wrong label': [
    0.1,
    (canvas) =>
      canvas.shapes.map((shape, i) => ({
        ...canvas,
        shapes: replaced(canvas.shapes, i, { ...shape, text: 'Zq' }),
      })),
  ],
  'arrow labels left out': [
    0.01,
    (canvas) =>
      canvas.edges.flatMap((edge, i) =>
        edge.label === '' ? [] : { ...canvas, edges: replaced(canvas.edges, i, { ...edge, label: '' }) },
      ),
  ],
  'two boxes pushed together': [
    0.05,
    (canvas, { graph }) => {
      if (graph.overlaps || graph.groups.length > 0) return [];
      const [first, ...others] = canvas.shapes;
      const beside: Shape = { ...first!, x: first!.x + 10, y: first!.y + 10 };
      return others.map(({ id, text, shape, width, height }, i) => ({
        ...canvas,
        shapes: replaced(canvas.shapes, i + 1, { ...beside, id, text, shape, width, height }),
      }));
    },
  ],
};

describe('every single fault costs reward and success', () => {
  it('which the right answers have', () => {
    for (const { task, canvas } of cases) {
      const { success, reward } = scoreDiagram(task, canvas, cleanLog);
      expect([task.id, success, reward > 0.9]).toEqual([task.id, true, true]);
      expect(verifyDiagram(task, canvas, cleanLog).faults).toEqual([]);
    }
  });

  it.each(Object.entries(faults))('%s', (_, [least, fault]) => {
    let count = 0;
    for (const { task, canvas } of cases) {
      const { reward } = scoreDiagram(task, canvas, cleanLog);
      for (const faulty of fault(canvas, task)) {
        const worse = scoreDiagram(task, faulty, cleanLog);
        expect(worse.success, task.id).toBe(false);
        expect(reward - worse.reward, task.id).toBeGreaterThan(least);
        expect(verifyDiagram(task, faulty, cleanLog).success, task.id).toBe(false);
        count++;
      }
    }
    expect(count).toBeGreaterThan(20);
  });
});
