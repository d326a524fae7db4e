import { describe, expect, it } from 'vitest';
import { bestEpisode, bestOfN, type EpisodeRecord } from 'posttrain/rollout';
import { scriptedSampler } from '../engine/scripted.js';
import { letterTask, letterTokenizer, letterWorld } from '../engine/tiny.js';

describe('best of n', () => {
  const replies = ['b', 'cc', 'dddd', 'eee'];
  const options = {
    engine: {
      ...scriptedSampler((_, { index }) => ({ text: replies[index % 2 ** 16] as string })),
      policyVersion: 0,
    },
    tokenizer: letterTokenizer,
    env: letterWorld((reply) => reply.length),
    tasks: [letterTask('one', 'a'), letterTask('two', 'b')],
    numGenerations: 4,
    seed: 5,
    step: 0,
    maxCompletionLength: 8,
  };
  const said = (episode: EpisodeRecord | undefined): string | undefined => episode?.messages.at(-1)?.content;

  it('answers each task with its best attempt, by the reward or by another opinion', async () => {
    const byReward = await bestOfN(options);
    expect(byReward.map(({ task, best }) => [task.id, said(best)])).toEqual([
      ['one', 'dddd'],
      ['two', 'dddd'],
    ]);
    expect(byReward[0]?.episodes).toHaveLength(4);
    const [shortest] = await bestOfN({ ...options, score: ({ reward }) => -(reward as number) });
    expect(said(shortest?.best)).toBe('b');
  });

  it('takes the first of equals, and none of those that cannot be scored', () => {
    const scored = (reward: number | null, sampleIndex: number): EpisodeRecord =>
      ({ reward, sampleIndex }) as EpisodeRecord;
    expect(bestEpisode([scored(null, 0), scored(1, 1), scored(1, 2), scored(NaN, 3)])?.sampleIndex).toBe(1);
    expect(bestEpisode([scored(null, 0)])).toBeUndefined();
    expect(bestEpisode([])).toBeUndefined();
  });
});
