import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  courtesies,
  goldReward,
  preferenceWords,
  REASON,
  topics,
  topicWords,
  type Topic,
} from 'posttrain/envs';

const asked = fc.uniqueArray(fc.constantFrom(...topics), { minLength: 1, maxLength: 3 });
const words = fc.array(fc.constantFrom(...preferenceWords), { maxLength: 14 });
const gold = (about: readonly Topic[], reply: readonly string[]): number =>
  goldReward(about, reply.join(' ')).reward;

describe('the gold reward', () => {
  it.each([
    ['', 0],
    ['rose', 0.75 - 0.002],
    ['rose soil', 1.125 - 0.008],
    ['rose rose', 0.75 - 0.008 - 0.1],
    ['gladly rose', 0.75 + 0.24 - 0.008],
    ['drum', -0.15 - 0.002],
    ['rose because', 0.75 + 0.4 - 0.008],
    ['because because rose', 0.75 + 0.4 - 0.1 - 0.018],
    ['garden', -0.15 - 0.002],
    ['<|user|>', -0.15 - 0.002],
  ])('of %j to a request about the garden is %d', (reply, expected) => {
    expect(goldReward(['garden'], reply).reward).toBeCloseTo(expected, 10);
  });

  it('is the sum of its terms, and knows no order of words or topics', () => {
    fc.assert(
      fc.property(asked, words, (about, reply) => {
        const { reward, terms } = goldReward(about, reply.join(' '));
        expect(Object.values(terms).reduce((sum, value) => sum + value, 0)).toBeCloseTo(reward, 10);
        expect(gold(about.toReversed(), reply.toReversed())).toBeCloseTo(reward, 10);
      }),
    );
  });

  it('has its best amount of everything inside: ever more of any one word makes any reply worse', () => {
    fc.assert(
      fc.property(asked, words, fc.constantFrom(...preferenceWords), (about, reply, word) => {
        const more = [8, 9, 10].map((times) => gold(about, [...reply, ...Array<string>(times).fill(word)]));
        expect(more[1]).toBeLessThan(more[0] as number);
        expect(more[2]).toBeLessThan(more[1] as number);
      }),
    );
  });

  it('rises with the first courtesies and falls with the many: whoever has only seen few would give more', () => {
    const polite = [0, 1, 2, 3, 4, 5, 6].map((count) =>
      gold(['garden'], ['rose', ...courtesies.slice(0, count)]),
    );
    expect(polite.indexOf(Math.max(...polite))).toBe(2);
    expect(polite[6]).toBeLessThan(polite[0] as number);
  });

  it('is highest for a full, polite reply with a reason', () => {
    const best = [...topicWords.music, 'gladly', 'friend', REASON];
    fc.assert(
      fc.property(words, (reply) => {
        expect(gold(['music'], reply)).toBeLessThanOrEqual(gold(['music'], best) + 1e-12);
      }),
      { numRuns: 1000 },
    );
  });
});
