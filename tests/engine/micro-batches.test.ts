/** How a batch is cut: nothing is lost, nothing is too large, and answers to one prompt stay together. */
import * as fc from 'fast-check';
import { planMicroBatches, type SequenceExtent } from 'posttrain/engine';
import { describe, expect, it } from 'vitest';

describe('micro-batches', () => {
  const sequence = fc
    .record({
      prompt: fc.constantFrom('a', 'b', 'c'),
      rest: fc.integer({ min: 1, max: 50 }),
    })
    .map(({ prompt, rest }) => {
      const promptLength = { a: 1, b: 10, c: 40 }[prompt] as number;
      return { prompt, promptLength, length: promptLength + rest };
    });

  it('hold every sequence once and no more tokens than the budget, a prompt counted once', () => {
    fc.assert(
      fc.property(fc.array(sequence), fc.integer({ min: 1, max: 300 }), (sequences, budget) => {
        const groups = planMicroBatches(sequences, budget);
        expect(groups.flat().sort((a, b) => a - b)).toEqual(sequences.map((_, index) => index));
        for (const group of groups) {
          const members = group.map((index) => sequences[index] as SequenceExtent);
          const padded = group.length * Math.max(...members.map(({ length }) => length));
          const repeated = members.filter(
            ({ prompt }, i) => members.findIndex((m) => m.prompt === prompt) < i,
          );
          const saved = repeated.reduce((sum, { promptLength }) => sum + promptLength, 0);
          expect(group.length === 1 || padded - saved <= budget).toBe(true);
          expect(group.length === 1 || padded <= 4 * budget).toBe(true);
        }
      }),
    );
  });

  it('keep the answers to one prompt together, whatever their lengths', () => {
    const extent = (prompt: string, length: number): SequenceExtent => ({ prompt, promptLength: 30, length });
    const answers = [extent('a', 40), extent('b', 50), extent('a', 60), extent('b', 45)];
    // 60 + 10 padded to 60 with one prompt of 30, then 50 + 45 padded to 50
    expect(planMicroBatches(answers, 90)).toEqual([
      [2, 0],
      [1, 3],
    ]);
  });
});
