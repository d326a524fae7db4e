/** Conversations of several turns: what is recorded of each turn, and that a training sequence is what the policy saw. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import type { Action, DiagramTask } from 'posttrain/envs/diagram/types';
import type { Environment, StepResult } from 'posttrain/envs/types';
import type { Engine } from 'posttrain/engine';
import type { Sample } from 'posttrain/model';
import { type EpisodeRecord, rollout, turnsOf } from 'posttrain/rollout';
import { chatTokens, type Tokenizer } from 'posttrain/text';
import { box, canvasOf, taskOf } from '../envs/build.js';
import { letterTask, type LetterTask, letterTokenizer } from '../engine/tiny.js';

const END = 1;
const common = { numGenerations: 1, seed: 5, step: 0, maxCompletionLength: 400 };

/** Says `replies[turn]`, without the stop token where it is cut; records the prompts it was shown. */
function talker(tokenizer: Tokenizer, replies: readonly string[], cutAt?: number) {
  const prompts: Int32Array[] = [];
  const sample: Engine['sample'] = (asked, _, keys) => {
    prompts.push(...asked);
    return Promise.resolve(
      keys.map(({ purpose }): Sample => {
        const turn = Number(purpose.split('/')[1]);
        const ids = tokenizer.encode(replies[turn] as string);
        const tokens = turn === cutAt ? ids : Int32Array.of(...ids, END);
        const logprobs = Float32Array.from(tokens, (_token, t) => -(1 + t) / 8);
        return { tokens, logprobs, finishReason: turn === cutAt ? 'length' : 'stop' };
      }),
    );
  };
  return { prompts, engine: { sample, policyVersion: 0, maxLength: 10_000 } };
}

/** Bytes, after the chat tokens. */
const byteTokenizer: Tokenizer = {
  vocabSize: chatTokens.length + 256,
  encode: (text) => Int32Array.from(new TextEncoder().encode(text), (byte) => chatTokens.length + byte),
  decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids, (id) => id - chatTokens.length)),
  tokenId: (token) => {
    const id = chatTokens.findIndex((name) => name === token);
    return id < 0 ? undefined : id;
  },
  toJSON: () => '{}',
};

async function episodeOf<T extends { id: string; split: string }>(
  env: Environment<T>,
  task: T,
  tokenizer: Tokenizer,
  engine: ReturnType<typeof talker>['engine'],
): Promise<EpisodeRecord> {
  const [group] = await rollout({ ...common, env, tasks: [task], tokenizer, engine });
  return group?.episodes[0] as EpisodeRecord;
}

/** Guess the letter: −1 for a wrong one and another try, five in all; +5 for the right one (`verify_iter` of GeneralPoints). */
const guessing: Environment<LetterTask> = {
  name: 'guessing',
  start: (task) => {
    let tries = 0;
    return {
      initialObservation: () => 'g',
      step: (reply): StepResult => {
        tries += 1;
        const right = reply === task.request;
        const done = right || tries === 5;
        return {
          reward: right ? 5 : -1,
          episodeDone: done,
          nextObservation: done ? null : 'f',
          ...(done && { stopReason: 'completed' }),
          metrics: { success: Number(right), tries },
        };
      },
    };
  },
};

describe('retries', () => {
  it('keep the reward of every try with the tokens that earned it', async () => {
    const { engine } = talker(letterTokenizer, ['a', 'bb', 'c']);
    const episode = await episodeOf(guessing, letterTask('t', 'c'), letterTokenizer, engine);
    const said = episode.trajectories.flatMap(({ tokens, turns }) =>
      turns.map(({ start, end, reward }) => [letterTokenizer.decode(tokens.subarray(start, end)), reward]),
    );
    expect(said).toEqual([
      ['a<|end|>', -1],
      ['bb<|end|>', -1],
      ['c<|end|>', 5],
    ]);
    expect(episode).toMatchObject({ reward: 3, stopReason: 'completed', metrics: { success: 1, tries: 3 } });
  });

  it('end when they are used up, which is the world’s end and no truncation', async () => {
    const { engine, prompts } = talker(letterTokenizer, ['a', 'a', 'a', 'a', 'a', 'a']);
    const episode = await episodeOf(guessing, letterTask('t', 'c'), letterTokenizer, engine);
    expect(prompts).toHaveLength(5);
    expect(episode).toMatchObject({ reward: -5, stopReason: 'completed' });
  });

  it('are over when a reply is cut, with what it earned', async () => {
    const { engine, prompts } = talker(letterTokenizer, ['a', 'b', 'c'], 1);
    const episode = await episodeOf(guessing, letterTask('t', 'c'), letterTokenizer, engine);
    expect(prompts).toHaveLength(2);
    expect(episode).toMatchObject({ reward: -2, stopReason: 'max_tokens' });
    expect(turnsOf(episode).map(({ start, end }) => end - start)).toEqual([2, 1]);
  });
});

describe('a second look at a diagram', () => {
  const A = box('a', [0, 0, 100, 60], 'A');
  const tooNear = box('b', [90, 0, 100, 60], 'B');
  const moved: Action = { type: 'move', id: 'b', x: 200, y: 0 };
  const say = (...actions: Action[]): string => serializeActions([...actions, { type: 'finish' }]);
  /** Pays for the absence of overlaps. */
  const world = diagramEnvironment({
    scorer: (_, canvas) => {
      const [first, second] = canvas.shapes;
      const apart = second !== undefined && first !== undefined && second.x >= first.x + 100;
      return { reward: apart ? 1 : 0.4, success: apart, terms: {} };
    },
  });
  const masked = ({ trajectories: [trajectory] }: EpisodeRecord): string =>
    byteTokenizer.decode(
      trajectory?.tokens.filter((id, t) => trajectory.actionMask[t] === 1 && id > 4) ?? [],
    );

  it.each<[string, DiagramTask, string[], number[]]>([
    [
      'draw-review',
      taskOf({ kind: 'draw-review' }),
      [serializeActions([A, tooNear]), say(moved)],
      // the look costs a hundredth
      [0, 0.99],
    ],
    [
      'repair',
      taskOf({ kind: 'repair', initial: canvasOf(A, tooNear) }),
      [serializeActions([]), say(moved)],
      [0, 1],
    ],
  ])(
    '%s pays once, at the end, and trains all replies and nothing of the problems shown',
    async (_, task, replies, rewards) => {
      const { engine, prompts } = talker(byteTokenizer, replies);
      const episode = await episodeOf(world, task, byteTokenizer, engine);
      expect(byteTokenizer.decode(prompts.at(-1)?.filter((id) => id > 4) ?? [])).toContain(
        'PROBLEMS W_OVERLAP a b',
      );
      expect(turnsOf(episode).map(({ reward }) => reward)).toEqual(rewards);
      expect(episode).toMatchObject({
        reward: rewards.at(-1),
        stopReason: 'completed',
        metrics: { success: 1 },
      });
      expect(episode.trajectories).toHaveLength(1);
      expect(masked(episode)).toBe(replies.join(''));
    },
  );

  it('is none when a reply cannot be read: the canvas is judged as it was', async () => {
    const { engine } = talker(byteTokenizer, [serializeActions([A, tooNear]), 'Sorry!']);
    const episode = await episodeOf(world, taskOf({ kind: 'draw-review' }), byteTokenizer, engine);
    expect(episode).toMatchObject({ reward: 0.39, stopReason: 'parse_error' });
    expect(masked(episode)).toContain('Sorry!');
  });
});

/** Talks back until it has heard enough. */
const chatter = (answers: readonly string[]): Environment<LetterTask> => ({
  name: 'chatter',
  start: () => {
    let turn = 0;
    return {
      initialObservation: () => 'g',
      step: (): StepResult => {
        const answer = answers[turn];
        turn += 1;
        const rest = { reward: 1 / 8, metrics: {} };
        return answer === undefined
          ? { ...rest, episodeDone: true, nextObservation: null, stopReason: 'completed' }
          : { ...rest, episodeDone: false, nextObservation: answer };
      },
    };
  },
});

describe('a training sequence', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcdefg '), maxLength: 6 });
  const turns = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 });
  /** What a template does to old messages: nothing, forget a letter (as some forget thoughts), or change one of the same length. */
  const rewrite = fc.constantFrom(
    (said: string) => said,
    (said: string) => said.replaceAll('d', ''),
    (said: string) => said.replaceAll('d', 'c'),
  );

  it('holds each reply once, after exactly the prompt it was sampled for; turns share one only where prompts extend each other (B5, F3)', async () => {
    await fc.assert(
      fc.asyncProperty(turns, rewrite, async (script, rewritten) => {
        const tokenizer: Tokenizer = {
          ...letterTokenizer,
          decode: (ids) => rewritten(letterTokenizer.decode(ids)),
        };
        const replies = script.map(([reply]) => reply);
        const answers = script.slice(1).map(([, answer]) => answer);
        const { engine, prompts } = talker(letterTokenizer, replies);
        const episode = await episodeOf(chatter(answers), letterTask('t', 'g'), tokenizer, engine);

        const seen = episode.trajectories.flatMap(({ tokens, turns }) =>
          turns.map(({ start, end }) => [[...tokens.subarray(0, start)], [...tokens.subarray(start, end)]]),
        );
        expect(seen).toEqual(
          prompts.map((prompt, turn) => [
            [...prompt],
            [...letterTokenizer.encode(replies[turn] as string), END],
          ]),
        );
        // sampled tokens are trained, with the sampler's own log-probabilities, and no others
        for (const { turns, actionMask, logprobs } of episode.trajectories) {
          const own = new Set(
            turns.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, n) => start + n)),
          );
          actionMask.forEach((on, t) => expect(on).toBe(own.has(t) ? 1 : 0));
          logprobs.forEach((logprob, t) => expect(logprob !== 0).toBe(own.has(t)));
        }
        const splits = prompts.slice(1).filter((prompt, turn) => {
          const before = [
            ...(prompts[turn] as Int32Array),
            ...letterTokenizer.encode(replies[turn] as string),
            END,
          ];
          return before.some((token, t) => prompt[t] !== token);
        });
        expect(episode.trajectories).toHaveLength(1 + splits.length);
        expect(episode.reward).toBe(replies.length / 8);
      }),
      { numRuns: 60 },
    );
  });

  it('is split by a template that forgets what was thought', async () => {
    const forgetful = {
      ...letterTokenizer,
      decode: (ids: ArrayLike<number>) => letterTokenizer.decode(ids).replaceAll('d', ''),
    };
    const { engine } = talker(letterTokenizer, ['dda', 'ddb', 'c']);
    const episode = await episodeOf(chatter(['e', 'f']), letterTask('t', 'g'), forgetful, engine);
    expect(
      episode.trajectories.map(({ tokens }) =>
        letterTokenizer.decode(tokens).replaceAll(/<\|(.)\w+\|>/g, '$1:'),
      ),
    ).toEqual(['u:ga:ddae:', 'u:ga:ae:u:ea:ddbe:', 'u:ga:ae:u:ea:be:u:fa:ce:']);
  });
});
