/** GRPO that compares turns, on a world that pays for turns, against numbers worked by hand. */
import { describe, expect, it } from 'vitest';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { grpo, type GRPOConfig, type GRPOOptions, type GRPOStep } from 'posttrain/trainers';
import { type Reply, scriptedTrainer } from '../engine/scripted.js';
import { letterTask, type LetterTask, letterTokenizer } from '../engine/tiny.js';
import { collect } from './runs.js';

/** A letter a pays 1 at once; a c ends the episode, and so do three turns. */
const paidTurns: Environment<LetterTask> = {
  name: 'paid turns',
  start: () => {
    let turn = 0;
    return {
      initialObservation: () => 'g',
      step: (reply): StepResult => {
        turn += 1;
        const rest = { reward: reply.startsWith('a') ? 1 : 0, metrics: {} };
        return turn < 3 && !reply.startsWith('c')
          ? { ...rest, episodeDone: false, nextObservation: 'f' }
          : { ...rest, episodeDone: true, nextObservation: null, stopReason: 'completed' };
      },
    };
  },
};

/** What was trained, one list of advantages an episode, one number a turn; replies are letters, one a turn. */
async function advantagesOf(
  groups: readonly (readonly string[])[],
  config: Partial<GRPOConfig>,
  options: Partial<GRPOOptions<LetterTask>> = {},
): Promise<{ readonly turns: number[][]; readonly step: GRPOStep }> {
  const engine = scriptedTrainer((_, { purpose, index }): Reply => {
    const replies = groups[Math.floor(index / 2 ** 16)]?.[index % 2 ** 16] as string;
    return { text: replies[Number(purpose.split('/')[1])] as string };
  });
  const [step] = await collect(
    grpo({
      engine,
      tokenizer: letterTokenizer,
      env: paidTurns,
      tasks: groups.map((_, task) => letterTask(String(task), 'g')),
      config: {
        promptsPerStep: groups.length,
        numGenerations: (groups[0] as readonly string[]).length,
        maxCompletionLength: 4,
        maxSteps: 1,
        shuffleDataset: false,
        advantageLevel: 'turn',
        scaleRewards: 'none',
        ...config,
      },
      ...options,
    }),
  );
  const turns = (engine.trained[0] ?? []).map(({ weights, advantages }) => {
    const ofTurns: number[] = [];
    weights.forEach((weight, t) => {
      if (weight === 0) return expect(advantages?.[t]).toBe(0);
      // a letter and its end
      if (weights[t - 1] === 0) ofTurns.push(advantages?.[t] as number);
      expect(advantages?.[t]).toBe(ofTurns.at(-1));
    });
    return ofTurns;
  });
  return { turns, step: step as GRPOStep };
}

const closeTo = (expected: readonly (readonly number[])[]) =>
  expected.map((turns) => turns.map((x) => expect.closeTo(x, 5)));

describe('advantageLevel', () => {
  const equalTotals = [['abb', 'bab']];

  it('episode: equal totals leave nothing to learn', async () => {
    const { turns, step } = await advantagesOf(equalTotals, { advantageLevel: 'episode' });
    expect(turns).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(step.metrics['frac_reward_zero_std']).toBe(1);
  });

  it('turn: each turn by what it led to (γ 1), or by its own reward (γ 0)', async () => {
    expect((await advantagesOf(equalTotals, {})).turns).toEqual([
      [0, -0.5, 0],
      [0, 0.5, 0],
    ]);
    expect((await advantagesOf(equalTotals, { gamma: 0 })).turns).toEqual([
      [0.5, -0.5, 0],
      [-0.5, 0.5, 0],
    ]);
    expect((await advantagesOf(equalTotals, { gamma: 0.5 })).turns).toEqual([
      [0.25, -0.5, 0],
      [-0.25, 0.5, 0],
    ]);
  });

  it('divides by the deviation of the turn, unless that is below the threshold', async () => {
    const scaled = 0.5 / (Math.SQRT1_2 + 1e-4);
    expect((await advantagesOf(equalTotals, { gamma: 0, scaleRewards: 'group' })).turns).toEqual(
      closeTo([
        [scaled, -scaled, 0],
        [-scaled, scaled, 0],
      ]),
    );
    const { turns } = await advantagesOf(equalTotals, { gamma: 0, zeroStdThreshold: 1 });
    expect(turns.flat()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('compares a turn with the episodes of its group that reached it', async () => {
    const { turns } = await advantagesOf(
      [
        ['c', 'bac', 'bbb'],
        ['aaa', 'aaa', 'aaa'],
      ],
      { gamma: 0 },
    );
    expect(turns).toEqual(closeTo([[0], [0, 0.5, 0], [0, -0.5, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]));
  });

  it('a reward of the whole episode belongs to the last turn, and to all before it with γ 1', async () => {
    const lengths = { rewardFunction: async () => [3, 1] };
    expect((await advantagesOf(equalTotals, { gamma: 0 }, lengths)).turns).toEqual([
      [0, 0, 1],
      [0, 0, -1],
    ]);
    expect((await advantagesOf(equalTotals, {}, lengths)).turns).toEqual([
      [1, 1, 1],
      [-1, -1, -1],
    ]);
  });

  it('what nobody could judge is compared with nothing', async () => {
    const rewardFunction = async () => [null, 1, 0];
    const { turns } = await advantagesOf([['abb', 'bab', 'bbb']], {}, { rewardFunction });
    expect(turns).toEqual([
      [0, 0, 0],
      [0.5, 0.5, 0.5],
      [-0.5, -0.5, -0.5],
    ]);
  });

  it('cut episodes are masked, and reported advantages are means over tokens', async () => {
    const { turns, step } = await advantagesOf([['abb', 'bab']], {
      gamma: 0,
      maxTurns: 2,
      maskTruncatedCompletions: true,
      maxClippedRatio: 1,
    });
    expect(turns).toEqual([]);
    expect(step.metrics['step_skipped']).toBe(1);
    const whole = await advantagesOf([['aac', 'bbc']], { gamma: 0 });
    expect(whole.step.completions.map(({ advantage }) => advantage)).toEqual([
      expect.closeTo(1 / 3, 6),
      expect.closeTo(-1 / 3, 6),
    ]);
  });
});
