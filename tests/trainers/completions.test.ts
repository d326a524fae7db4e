import { describe, expect, it } from 'vitest';
import type { EpisodeRecord, Trajectory } from 'posttrain/rollout';
import { completionsOf } from 'posttrain/trainers/completions';
import type { StepSamples } from 'posttrain/trainers/grpo-groups';
import { letterTask, type LetterTask, letterTokenizer } from '../engine/tiny.js';

/** Tokens of the parts laid end to end; every second part is a reply. */
function trajectory(...parts: string[]): Trajectory {
  const lengths = parts.map((part) => part.length);
  const end = (part: number): number => lengths.slice(0, part + 1).reduce((sum, length) => sum + length, 0);
  const tokens = letterTokenizer.encode(parts.join(''));
  const turns = parts.flatMap((_, part) =>
    part % 2 === 1 ? [{ start: end(part - 1), end: end(part), reward: 0 }] : [],
  );
  const actionMask = new Uint8Array(tokens.length);
  for (const turn of turns) actionMask.fill(1, turn.start, turn.end);
  return { tokens, actionMask, logprobs: new Float32Array(tokens.length), turns };
}

function samplesOf(episodes: readonly Partial<EpisodeRecord>[], isTrained = true): StepSamples<LetterTask> {
  const group = {
    task: letterTask('t', 'ab'),
    groupId: 'g',
    episodes: episodes.map((episode) => ({
      taskId: 't',
      reward: 1,
      metrics: { success: 1 },
      stopReason: 'completed',
      messages: [],
      ...episode,
    })) as unknown as EpisodeRecord[],
    advantages: episodes.map((_, i) => i),
    turnAdvantages: [],
    std: 1,
    constant: !isTrained,
  };
  return { groups: [group], trained: isTrained ? [group] : [], rounds: 1 };
}

const segmentsOf = (samples: StepSamples<LetterTask>, maskTruncatedCompletions = false): unknown[] =>
  completionsOf(samples, letterTokenizer, { maskTruncatedCompletions }).map(({ segments }) =>
    segments.map(({ role, text }) => `${role} ${text}`),
  );

describe('the completions of a step', () => {
  const twoTurns = trajectory('ab', 'cc', 'd', 'ccc');

  it('tell prompt, replies and what the environment said in between apart', () => {
    expect(segmentsOf(samplesOf([{ trajectories: [twoTurns] }]))).toEqual([
      ['prompt ab', 'trained cc', 'environment d', 'trained ccc'],
    ]);
  });

  it('show a conversation that was split as two beginnings', () => {
    const split = [trajectory('ab', 'c'), trajectory('abd', 'c')];
    expect(segmentsOf(samplesOf([{ trajectories: split }]))).toEqual([
      ['prompt ab', 'trained c', 'prompt abd', 'trained c'],
    ]);
  });

  it('mark what was sampled and not trained: a cut episode under the mask, a group without signal', () => {
    const cut: Partial<EpisodeRecord> = { trajectories: [trajectory('ab', 'cc')], stopReason: 'max_tokens' };
    expect(segmentsOf(samplesOf([cut]), true)).toEqual([['prompt ab', 'masked cc']]);
    expect(segmentsOf(samplesOf([cut]), false)).toEqual([['prompt ab', 'trained cc']]);
    expect(segmentsOf(samplesOf([{ trajectories: [twoTurns] }], false))).toEqual([
      ['prompt ab', 'masked cc', 'environment d', 'masked ccc'],
    ]);
  });

  it('carry texts, rewards and advantages', () => {
    const messages = [
      { role: 'user', content: 'ab' },
      { role: 'assistant', content: 'cc' },
      { role: 'user', content: 'd' },
      { role: 'assistant', content: 'ccc' },
    ] as const;
    const samples = samplesOf([
      { trajectories: [], reward: null },
      { trajectories: [twoTurns], messages },
    ]);
    expect(completionsOf(samples, letterTokenizer, { maskTruncatedCompletions: false })).toMatchObject([
      { taskId: 't', prompt: '', completion: '', reward: null, advantage: 0, segments: [] },
      { prompt: 'ab', completion: 'cc\n\nccc', reward: 1, rewards: { success: 1 }, advantage: 1 },
    ]);
  });
});
