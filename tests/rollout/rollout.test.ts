import { describe, expect, it } from 'vitest';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { completionLength, rollout, Transcript } from 'posttrain/rollout';
import { END, scriptedSampler } from '../engine/scripted.js';
import { letterTask, letterTokenizer, type LetterTask, letterWorld } from '../engine/tiny.js';

const scripted = (text: string, cut = false) => ({
  ...scriptedSampler(() => ({ text, cut })),
  policyVersion: 3,
});

/** Asks for more until it has seen `turns` replies; rewards each with 1. */
function talkative(turns: number): Environment<LetterTask> {
  return {
    name: 'talkative',
    start: (task) => {
      let taken = 0;
      return {
        initialObservation: () => task.request,
        step: (): StepResult => {
          taken += 1;
          const done = taken >= turns;
          const base = {
            reward: 1,
            episodeDone: done,
            nextObservation: done ? null : 'g',
            metrics: { taken },
          };
          return done ? { ...base, stopReason: 'completed' } : base;
        },
      };
    },
  };
}

const common = { tokenizer: letterTokenizer, numGenerations: 2, seed: 5, step: 4, maxCompletionLength: 8 };
const tasks = [letterTask('one', 'a'), letterTask('two', 'b')];

describe('rollout', () => {
  it('keeps the sampled ids, masks the prompt, and judges the reply without its stop token', async () => {
    const engine = scripted('cc');
    const seen: string[] = [];
    const env = letterWorld((reply) => (seen.push(reply), 0.25));
    const groups = await rollout({ ...common, engine, env, tasks });
    expect(groups.map(({ groupId, episodes }) => [groupId, episodes.length])).toEqual([
      ['4:0', 2],
      ['4:1', 2],
    ]);
    expect(seen).toEqual(['cc', 'cc', 'cc', 'cc']);
    const episode = groups[1]?.episodes[0];
    expect(episode).toMatchObject({
      taskId: 'two',
      reward: 0.25,
      stopReason: 'completed',
      policyVersion: 3,
      seed: 5,
    });
    const [trajectory] = episode?.trajectories ?? [];
    expect(letterTokenizer.decode(trajectory?.tokens ?? [])).toBe('<|user|>b<|assistant|>cc<|end|>');
    expect([...(trajectory?.actionMask ?? [])]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...(trajectory?.logprobs ?? [])]).toEqual([0, 0, 0, -0.5, -0.5, -0.5]);
    expect(trajectory?.turns).toEqual([{ start: 3, end: 6, reward: 0.25 }]);
  });

  it('hands the world the task itself, whatever its fields are called (E1)', async () => {
    const task = { ...letterTask('one', 'a'), prompt: 'p', completions: ['c'], row: 1 };
    const seen: unknown[] = [];
    const env = letterWorld(() => 1);
    const curious: typeof env = { ...env, start: (given) => (seen.push(given), env.start(given)) };
    await rollout({ ...common, engine: scripted('c'), env: curious, tasks: [task] });
    expect(seen).toEqual([task, task]);
    expect(seen[0]).toBe(task);
  });

  it('draws every sample from a key of its own', async () => {
    const engine = scripted('c');
    const env = talkative(2);
    await rollout({ ...common, engine, env, tasks });
    await rollout({ ...common, engine, env, tasks, firstPromptIndex: 2 });
    await rollout({ ...common, engine, env, tasks, purpose: 'evaluate' });
    const addresses = engine.keys.map(
      ({ seed, purpose, step, index }) => `${seed} ${purpose} ${step} ${index}`,
    );
    expect(new Set(addresses).size).toBe(3 * 8);
    expect(engine.params[0]).toMatchObject({ temperature: 1, maxNewTokens: 8, stopTokens: [END] });
  });

  it('merges turns that extend each other, with mask 0 on what the environment said', async () => {
    const [group] = await rollout({
      ...common,
      engine: scripted('cd'),
      env: talkative(3),
      tasks: [tasks[0] as LetterTask],
    });
    const episode = group?.episodes[0];
    expect(episode?.reward).toBe(3);
    expect(episode?.metrics).toEqual({ taken: 3 });
    expect(episode?.trajectories).toHaveLength(1);
    const [trajectory] = episode?.trajectories ?? [];
    const masked = Array.from(trajectory?.tokens ?? [], (id, t) =>
      trajectory?.actionMask[t] ? letterTokenizer.decode([id]) : '.',
    );
    expect(masked.join('')).toBe('...cd<|end|>...cd<|end|>...cd<|end|>');
    expect(trajectory?.turns).toHaveLength(3);
    expect(completionLength(episode as never)).toBe(9);
  });

  it('starts a new sequence when the next prompt reads the reply differently', async () => {
    const forgetful = {
      ...letterTokenizer,
      decode: (ids: ArrayLike<number>) => letterTokenizer.decode(ids).replaceAll('d', 'c'),
    };
    const [group] = await rollout({
      ...common,
      tokenizer: forgetful,
      engine: scripted('cd'),
      env: talkative(2),
      tasks: [tasks[0] as LetterTask],
    });
    const episode = group?.episodes[0];
    expect(episode?.trajectories.map(({ tokens }) => letterTokenizer.decode(tokens))).toEqual([
      '<|user|>a<|assistant|>cd<|end|>',
      '<|user|>a<|assistant|>cc<|end|><|user|>g<|assistant|>cd<|end|>',
    ]);
    const second = episode?.trajectories[1];
    expect(second?.actionMask.slice(0, 9).every((bit) => bit === 0)).toBe(true);
  });

  it('ends with max_tokens, max_turns or context_overflow when it is stopped from outside', async () => {
    const env = talkative(5);
    const stops = async (options: Partial<Parameters<typeof rollout<LetterTask>>[0]>) =>
      (await rollout({ ...common, engine: scripted('c'), env, tasks, ...options })).flatMap(
        ({ episodes }) => episodes,
      );
    const cut = await stops({ engine: scripted('cccccccc', true) });
    expect(cut.map(({ stopReason, reward }) => [stopReason, reward])).toEqual(
      Array(4).fill(['max_tokens', 1]),
    );
    expect((await stops({ maxTurns: 2 }))[0]).toMatchObject({ stopReason: 'max_turns', reward: 2 });
    const crowded = await stops({
      tasks: [letterTask('long', 'a'.repeat(60)), letterTask('short', 'a')],
      maxTurns: 1,
    });
    expect(crowded[0]).toMatchObject({ stopReason: 'context_overflow', reward: null, trajectories: [] });
    expect(crowded[2]).toMatchObject({ stopReason: 'max_turns', reward: 1 });
  });
});

describe('transcript', () => {
  it('begins with an observation', () => {
    expect(() => new Transcript().reply(Int32Array.of(1), new Float32Array(1), { reward: 0 })).toThrow(
      /starts with an observation/,
    );
  });
});
