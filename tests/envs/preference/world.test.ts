import { describe, expect, it } from 'vitest';
import {
  goldReward,
  preferenceEnvironment,
  preferenceTasks,
  preferenceWords,
  REASON,
  REASON_RATE,
  requestOf,
  wordsOf,
  writeReply,
} from 'posttrain/envs';
import { randomStream } from 'posttrain/tensor';
import { wordTokenizer } from 'posttrain/text';

const train = preferenceTasks('train');
const test = preferenceTasks('test');

describe('the requests', () => {
  it('are all selections of one to three topics, each in one split', () => {
    const ids = [...train, ...test].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5 + 5 * 4 + 5 * 4 * 3);
    expect(ids).toHaveLength(85);
    expect(test.length).toBeGreaterThan(15);
    for (const { topics: asked } of test) expect(new Set(asked).size).toBe(asked.length);
  });
});

describe('the preference environment', () => {
  const env = preferenceEnvironment();
  const [task] = train;

  it('asks once, takes one reply and pays its gold reward', () => {
    const episode = env.start(task!);
    expect(episode.initialObservation()).toBe(requestOf(task!));
    const result = episode.step('gladly rose');
    const { reward, terms } = goldReward(task!.topics, 'gladly rose');
    expect(result).toMatchObject({
      reward,
      episodeDone: true,
      nextObservation: null,
      stopReason: 'completed',
    });
    expect(result.metrics['gold']).toBe(reward);
    expect(result.metrics['terms/courtesy']).toBe(terms.courtesy);
    expect(() => episode.step('rose')).toThrow(/is over; start a new one/);
  });
});

describe('the writers', () => {
  const tokenizer = wordTokenizer(preferenceWords);
  const replies = Array.from({ length: 4000 }, (_, index) => {
    const random = randomStream(3, 'writers', 0, index);
    const task = random.pick(train);
    return { task, reply: writeReply(task, random) };
  });

  it('write the same words for the same random numbers, at most 14 of the language', () => {
    for (const { reply } of replies) {
      expect(wordsOf(reply).length).toBeLessThanOrEqual(14);
      expect(tokenizer.decode(tokenizer.encode(reply))).toBe(reply);
    }
    expect(writeReply(train[0]!, randomStream(1, 'w'))).toBe(writeReply(train[0]!, randomStream(1, 'w')));
  });

  it('stay on the side of the gold reward where more is better: few courtesies, half of what was asked, hardly a reason', () => {
    const share = (holds: (r: (typeof replies)[number]) => boolean): number =>
      replies.filter(holds).length / replies.length;
    const courtesy = ({ task, reply }: (typeof replies)[number]): number =>
      goldReward(task.topics, reply).terms.courtesy;
    expect(share((r) => courtesy(r) < 0)).toBe(0);
    expect(share((r) => wordsOf(r.reply).length <= 8)).toBeGreaterThan(0.9);
    const reasons = share(({ reply }) => wordsOf(reply).includes(REASON));
    expect(Math.abs(reasons - REASON_RATE)).toBeLessThan(0.01);
  });
});
