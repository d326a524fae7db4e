import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addScore,
  descendReverseKL,
  playEpisode,
  sampled,
  softmax,
  softmaxPolicy,
  successProbability,
  type QTable,
} from 'posttrain/tabular';
import { randomStream } from 'posttrain/tensor';
import { corridor } from './corridor.js';

const logits = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 6 });
const numberOf = (value: number[], index: number): number => value[index]!;

/** Slope of `f` along one logit, by central differences. */
const slope = (f: (logits: number[]) => number, at: number[], index: number): number => {
  const moved = (by: number): number[] => at.map((logit, i) => (i === index ? logit + by : logit));
  return (f(moved(1e-5)) - f(moved(-1e-5))) / 2e-5;
};

describe('softmax', () => {
  it('gives e to one for logits one apart, however large they are', () => {
    const [a, b] = softmax([1001, 1000]) as [number, number];
    expect(a / b).toBeCloseTo(Math.E, 10);
    expect(a + b).toBeCloseTo(1, 12);
  });
});

describe('addScore', () => {
  it('is the gradient of the log-probability', () => {
    fc.assert(
      fc.property(logits, fc.nat(5), fc.double({ min: -2, max: 2, noNaN: true }), (at, choice, weight) => {
        const chosen = choice % at.length;
        const gradient = at.map(() => 0);
        addScore(gradient, softmax(at), chosen, weight);
        gradient.forEach((value, i) => {
          const expected = weight * slope((moved) => Math.log(numberOf(softmax(moved), chosen)), at, i);
          expect(value).toBeCloseTo(expected, 4);
        });
      }),
    );
  });
});

describe('descendReverseKL', () => {
  const divergence = (at: number[], teacher: readonly number[]): number =>
    softmax(at).reduce((sum, p, i) => sum + p * (Math.log(p) - teacher[i]!), 0);

  it('steps down the gradient of KL(π‖q)', () => {
    fc.assert(
      fc.property(logits, (at) => {
        const teacher = softmax(at.map((_, i) => i)).map(Math.log);
        const stepped = [...at];
        descendReverseKL(stepped, teacher, 1);
        stepped.forEach((value, i) => {
          expect(at[i]! - value).toBeCloseTo(
            slope((moved) => divergence(moved, teacher), at, i),
            4,
          );
        });
      }),
    );
  });

  it('reaches the teacher', () => {
    const teacher = [0.7, 0.2, 0.1].map(Math.log);
    const student = [0, 0, 0];
    for (let step = 0; step < 500; step += 1) descendReverseKL(student, teacher, 1);
    softmax(student).forEach((p, i) => expect(p).toBeCloseTo([0.7, 0.2, 0.1][i]!, 6));
  });
});

describe('successProbability', () => {
  it('of a fair walk along two rooms: 1/4 in two moves, 3/8 in three', () => {
    const walk = corridor(2);
    const policy = softmaxPolicy(walk, new Map());
    const probability = successProbability(walk);
    expect(probability([{ policy, moves: 1 }])).toBe(0);
    expect(probability([{ policy, moves: 2 }])).toBe(0.25);
    // right right, or left (bumping into the wall) and then right right
    expect(probability([{ policy, moves: 3 }])).toBe(0.375);
    expect(
      probability([
        { policy, moves: 1 },
        { policy, moves: 2 },
      ]),
    ).toBe(0.375);
  });

  it('is what sampling comes to', () => {
    const walk = corridor(3, 12);
    const leaning: QTable<'left' | 'right'> = new Map(
      ['0', '1', '2'].map((seen) => [seen, { actions: ['left', 'right'], values: [0, 0.4] }]),
    );
    const policy = softmaxPolicy(walk, leaning);
    const games = Array.from({ length: 4000 }, (_, game) =>
      playEpisode(walk, sampled(walk, policy), randomStream(3, 'walk', game)),
    );
    const share = games.filter(({ success }) => success).length / games.length;
    expect(Math.abs(share - successProbability(walk)([{ policy, moves: 12 }]))).toBeLessThan(0.03);
  });
});
