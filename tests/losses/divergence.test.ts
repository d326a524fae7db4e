import { beforeAll, describe, expect, it } from 'vitest';
import { generalizedJSD, tokenEntropies } from 'posttrain/losses/divergence';
import { weightedSum } from 'posttrain/losses/masked';
import { initBackend } from 'posttrain/tensor';
import { evaluate, type Evaluation } from './evaluate.js';
import { testedBackends } from '../tensor/backends.js';

const logits = (...probabilities: number[]): number[] => probabilities.map(Math.log);

function divergence(
  student: number[][],
  teacher: number[][],
  beta: number,
  weights: number[] = student.map(() => 1),
): Evaluation {
  return evaluate(
    (studentLogits, teacherLogits, weight) => {
      const streams = { studentLogits, teacherLogits: teacherLogits!, weights: weight! };
      return weightedSum(generalizedJSD(streams, beta), streams.weights);
    },
    [student],
    [teacher, weights],
  );
}

describe.each(testedBackends)('on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  describe('entropy', () => {
    const entropy = (row: number[], temperature: number): Evaluation =>
      evaluate((x, weights) => tokenEntropies(x, weights!, temperature), [[row]], [[1]]);

    it('is that of the distribution at the temperature (B1)', () => {
      expect(entropy([0, 0], 1).value).toBeCloseTo(Math.LN2, 6);
      const tenth = -0.1 * Math.log(0.1) - 0.9 * Math.log(0.9);
      expect(entropy([0, Math.log(3)], 0.5).value).toBeCloseTo(tenth, 6);
    });

    it('has a finite gradient beside an excluded token', () => {
      const { value, grads } = entropy([0, Math.log(3), -Infinity], 0.5);
      expect(value).toBeCloseTo(entropy([0, Math.log(3)], 0.5).value, 6);
      expect(grads[0]![2]! + 0).toBe(0);
      expect(grads[0]!.slice(0, 2)).toEqual(entropy([0, Math.log(3)], 0.5).grads[0]);
    });
  });

  describe('generalised JSD', () => {
    const student = logits(0.5, 0.5);
    const teacher = logits(0.9, 0.1);

    it.each([
      ['forward KL', 0, 0.368064],
      ['a mixture near the student', 0.1, 0.033603],
      ['Jensen–Shannon', 0.5, 0.101749],
      ['a mixture near the teacher', 0.9, 0.043074],
      ['reverse KL', 1, 0.510826],
    ])('%s, beta %d (C12, C13)', (_, beta, expected) =>
      expect(divergence([student], [teacher], beta).value).toBeCloseTo(expected, 6),
    );

    it('averages over valid tokens, not over sequence or vocabulary (C12)', () => {
      const rows = Array.from({ length: 5 }, () => student);
      const third = 1 / 3;
      const weights = [third, 0, third, third, 0];
      expect(
        divergence(
          rows,
          rows.map(() => teacher),
          0.5,
          weights,
        ).value,
      ).toBeCloseTo(0.101749, 6);
    });

    it('is 0, with gradient 0, where both agree', () => {
      for (const beta of [0, 0.5, 1]) {
        const { value, grads } = divergence([teacher], [teacher], beta);
        expect(value).toBeCloseTo(0, 6);
        grads[0]!.forEach((gradient) => expect(gradient).toBeCloseTo(0, 6));
      }
    });

    it('is symmetric at 0.5, and only there', () => {
      const there = divergence([student], [teacher], 0.5).value;
      expect(divergence([teacher], [student], 0.5).value).toBeCloseTo(there, 6);
      expect(divergence([teacher], [student], 0.1).value).toBeCloseTo(0.043074, 6);
    });

    it('is ln 2 between distributions that share nothing', () => {
      const { value, grads } = divergence([[0, -Infinity]], [[-Infinity, 0]], 0.5);
      expect(value).toBeCloseTo(Math.LN2, 6);
      expect(grads[0]!.every(Number.isFinite)).toBe(true);
    });

    it('ignores what both exclude, and is infinite where the student cannot follow', () => {
      const narrow = [...student, -Infinity];
      for (const beta of [0, 0.1, 1]) {
        const { value, grads } = divergence([narrow], [[...teacher, -Infinity]], beta);
        expect(value).toBeCloseTo(divergence([student], [teacher], beta).value, 6);
        expect(grads[0]![2]! + 0).toBe(0);
      }
      expect(divergence([narrow], [logits(0.4, 0.4, 0.2)], 0).value).toBe(Infinity);
    });

    it('refuses a beta outside [0, 1]', () =>
      expect(() => divergence([student], [teacher], 1.5)).toThrow(/beta must lie in \[0, 1\], got 1.5/));
  });
});
