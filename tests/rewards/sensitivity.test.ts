import { describe, expect, it } from 'vitest';
import { faults, variations } from 'posttrain/rewards/perturbations';
import { scoreDiagram } from 'posttrain/rewards/score';
import { verifyDiagram } from 'posttrain/rewards/verifier';
import { casesOf } from './cases.js';
import { cleanLog } from './samples.js';

const cases = [
  ...casesOf('curriculum', ['train', 'ood-size'], 5),
  ...casesOf('full', ['train', 'ood-size', 'ood-topology', 'ood-lang'], 4),
].filter(({ task }) => task.initial === undefined);

/** The least that each fault must cost. */
const least: Readonly<Record<string, number>> = {
  'a lost arrow': 0.02,
  'a reversed arrow': 0.05,
  'an arrow too many': 0.005,
  'a wrong label': 0.1,
  'arrow labels left out': 0.01,
  'two boxes pushed together': 0.05,
};

describe('every single fault costs reward and success', () => {
  it('which the right answers have', () => {
    for (const { task, canvas } of cases) {
      const { success, reward } = scoreDiagram(task, canvas, cleanLog);
      expect([task.id, success, reward > 0.9]).toEqual([task.id, true, true]);
      expect(verifyDiagram(task, canvas, cleanLog).faults).toEqual([]);
    }
  });

  it('and all have a price', () => {
    expect(Object.keys(least)).toEqual(Object.keys(faults));
  });

  it.each(Object.entries(faults))('%s', (name, fault) => {
    let count = 0;
    for (const { task, canvas } of cases) {
      const { reward } = scoreDiagram(task, canvas, cleanLog);
      for (const faulty of fault(canvas, task)) {
        const worse = scoreDiagram(task, faulty, cleanLog);
        expect(worse.success, task.id).toBe(false);
        expect(reward - worse.reward, task.id).toBeGreaterThan(least[name]!);
        expect(verifyDiagram(task, faulty, cleanLog).success, task.id).toBe(false);
        count++;
      }
    }
    expect(count).toBeGreaterThan(20);
  });
});

describe('reward and verifier see the same success', () => {
  it.each(Object.entries(variations))('%s', (_, vary) => {
    let count = 0;
    for (const { task, canvas } of cases) {
      for (const varied of vary(canvas, task)) {
        const { success } = scoreDiagram(task, varied, cleanLog);
        expect([task.id, success]).toEqual([task.id, verifyDiagram(task, varied, cleanLog).success]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(15);
  });
});
