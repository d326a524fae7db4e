import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  goldReward,
  expectedAgreement,
  labelCeiling,
  labelPairs,
  labelReplies,
  preferenceTasks,
  topicWords,
} from 'posttrain/envs';

const [task] = preferenceTasks('train').filter(({ topics }) => topics.length === 1);
const asked = task!.topics;
const good = { text: `${topicWords[asked[0]!][0]} gladly` };
const plain = { text: '' };
const difference = goldReward(asked, good.text).reward - goldReward(asked, plain.text).reward;
const many = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item);
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

describe('labels of pairs', () => {
  const labels = (noise: number, seed = 5) =>
    labelPairs(many({ task: task!, replies: [good, plain] as const }, 4000), { noise, seed });

  it.each([0.1, 0.3, 1])('choose the better reply with probability σ(difference / τ), τ = %d', (noise) => {
    const right = labels(noise).filter(({ chosen }) => chosen === good).length / 4000;
    const expected = sigmoid(difference / noise);
    // four standard errors
    expect(Math.abs(right - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / 4000) + 1e-9);
    expect(labelCeiling(labels(noise), noise)).toBeCloseTo(expected, 10);
  });

  it('do not know which reply stood first', () => {
    const swapped = labelPairs(many({ task: task!, replies: [plain, good] as const }, 4000), {
      noise: 0.3,
      seed: 6,
    });
    const right = swapped.filter(({ chosen }) => chosen === good).length / 4000;
    expect(Math.abs(right - sigmoid(difference / 0.3))).toBeLessThan(0.03);
  });

  it('carry the margin of the choice, negative where the annotator erred', () => {
    for (const { chosen, margin } of labels(1))
      expect(margin).toBeCloseTo(chosen === good ? difference : -difference, 10);
  });

  it('are the same for the same seed, and others for another', () => {
    expect(labels(0.5)).toEqual(labels(0.5));
    expect(labels(0.5)).not.toEqual(labels(0.5, 6));
  });

  it.each([0, -1, NaN, Infinity])('refuse a noise of %d', (noise) => {
    expect(() => labels(noise)).toThrow(/noise is .*, expected a number > 0/);
  });
});

describe('labels of single replies', () => {
  it('call a reply at the bar good as often as not, and a far better one nearly always', () => {
    const bar = goldReward(asked, good.text).reward;
    const options = { noise: 0.1, seed: 2 };
    const share = (reply: { text: string }, at: number): number =>
      labelReplies(many({ task: task!, reply }, 4000), { ...options, bar: at }).filter(({ label }) => label)
        .length / 4000;
    expect(share(good, bar)).toBeCloseTo(0.5, 1);
    expect(share(good, bar - 1)).toBeGreaterThan(0.99);
    expect(share(good, bar + 1)).toBeLessThan(0.01);
  });
});

it('an opinion agrees with what annotators may say, pair by pair: for, against, or undecided', () => {
  const pairs = [{ margin: 1 }, { margin: -1 }, { margin: 3 }];
  const likely = 1 / (1 + Math.exp(-2));
  expect(expectedAgreement(pairs.slice(0, 1), [0.1], 0.5)).toBeCloseTo(likely, 12);
  expect(expectedAgreement(pairs.slice(0, 2), [5, 5], 0.5)).toBeCloseTo(0.5, 12);
  expect(expectedAgreement(pairs.slice(2), [0], 0.5)).toBe(0.5);
  expect(expectedAgreement(pairs, [2, -1, 1], 0.5)).toBe(labelCeiling(pairs, 0.5));
});

it('the ceiling is between a coin and certainty', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1 }),
      fc.double({ min: 0.01, max: 5, noNaN: true }),
      (margins, noise) => {
        const ceiling = labelCeiling(
          margins.map((margin) => ({ margin })),
          noise,
        );
        expect(ceiling).toBeGreaterThanOrEqual(0.5);
        expect(ceiling).toBeLessThanOrEqual(1);
      },
    ),
  );
});
