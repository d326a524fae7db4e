/** GRPO with the process channel of RLVP, on a world with one rule, against numbers worked by hand. */
import { describe, expect, it } from 'vitest';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { mean } from 'posttrain/losses';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import {
  defineGRPOConfig,
  grpo,
  type GRPOConfig,
  type GRPOOptions,
  grpoPresets,
  type GRPOStep,
  sft,
  type SFTRow,
} from 'posttrain/trainers';
import { type Reply, scriptedTrainer } from '../engine/scripted.js';
import { letterTask, type LetterTask, letterTokenizer, letterWorld } from '../engine/tiny.js';
import { collect, withEngine } from './runs.js';

/**
 * Look (a) before you open (b); two turns. What was opened pays 1, looked or not. The rule is judged on the state before the reply; the
 * first look is a duty done, a second one nothing.
 */
const doors: Environment<LetterTask> = {
  name: 'doors',
  start: () => {
    let [turn, looked, opened] = [0, false, false];
    return {
      initialObservation: () => 'g',
      step: (reply): StepResult => {
        const violations = reply.startsWith('b') && !looked ? 1 : 0;
        const discharges = reply.startsWith('a') && !looked ? 1 : 0;
        turn += 1;
        looked ||= reply.startsWith('a');
        opened ||= reply.startsWith('b');
        const [metrics, process] = [{ opened: Number(opened) }, { violations, discharges }];
        return turn < 2
          ? { reward: 0, episodeDone: false, nextObservation: 'f', metrics, ...process }
          : {
              reward: Number(opened),
              episodeDone: true,
              nextObservation: null,
              stopReason: 'completed',
              metrics,
              ...process,
            };
      },
    };
  },
};

const common: Partial<GRPOConfig> = {
  promptsPerStep: 1,
  maxCompletionLength: 12,
  maxSteps: 1,
  maxClippedRatio: 1,
};

/** Ten tokens: nine letters and the end. */
const words = (letter: string): Reply => ({ text: letter.repeat(9) });

type Options = Partial<GRPOOptions<LetterTask>>;

/** One step on scripted episodes `[episode][turn]` of one group; what each turn's tokens weigh in the loss. */
async function coefficients(
  script: readonly (readonly Reply[])[],
  config: Partial<GRPOConfig>,
  options: Options = {},
): Promise<{ turns: number[][]; step: GRPOStep }> {
  const engine = scriptedTrainer(
    (_, { purpose, index }) => script[index % 2 ** 16]?.[Number(purpose.split('/')[1])] as Reply,
  );
  const [step] = await collect(
    grpo({
      engine,
      tokenizer: letterTokenizer,
      env: doors,
      tasks: [letterTask('t', 'g')],
      config: { ...common, numGenerations: script.length, ...config },
      ...options,
    }),
  );
  const turns = (engine.trained[0] ?? []).map(({ weights, advantages }) => {
    const runs: number[] = [];
    weights.forEach((weight, t) => {
      if (weight === 0) return;
      const coefficient = weight * (advantages?.[t] as number);
      if (weights[t - 1] === 0) runs.push(coefficient);
      // every token of a turn the same
      expect(coefficient).toBe(runs.at(-1));
    });
    return runs;
  });
  return { turns, step: step as GRPOStep };
}

const closeTo = (expected: readonly number[][]) =>
  expected.map((turns) => turns.map((x) => expect.closeTo(x, 6)));
const { rlvp } = grpoPresets;
const dear = { ...rlvp, lambda: 0.3 };

/** Both idle in turn 0; then one opens without a look, and the other stays idle. */
const oneOpens = [
  [words('d'), words('b')],
  [words('d'), words('d')],
];
const bothOpen = [
  [words('d'), words('b')],
  [words('b'), words('d')],
];

describe('rlvp', () => {
  it('divides each channel by its own tokens (E9)', async () => {
    const { turns } = await coefficients(oneOpens, { ...dear, channels: 'token' });
    expect(turns).toEqual(
      closeTo([
        [0.5 / 40, 0.5 / 40 - 0.3 / 10],
        [-0.5 / 40, -0.5 / 40],
      ]),
    );
  });

  it('folds penalties into the outcome too in the hybrid (E9)', async () => {
    const { turns } = await coefficients(oneOpens, dear);
    expect(turns).toEqual(
      closeTo([
        [0.35 / 40, 0.35 / 40 - 0.3 / 10],
        [-0.35 / 40, -0.35 / 40],
      ]),
    );
  });

  it('still teaches when all outcomes are equal, where outcomes alone teach nothing (E9)', async () => {
    const { turns, step } = await coefficients(bothOpen, { ...dear, channels: 'token' });
    expect(turns).toEqual(
      closeTo([
        [0, -0.3 / 20],
        [-0.3 / 20, 0],
      ]),
    );
    expect(step.metrics['frac_reward_zero_std']).toBe(1);
    const plain = await coefficients(bothOpen, { scaleRewards: 'none' });
    expect(plain.turns.flat().every((coefficient) => coefficient === 0)).toBe(true);
  });

  it('pays a duty once, with tokens of unequal turns (E8)', async () => {
    const script = [
      [{ text: 'a' }, words('a')],
      [words('d'), { text: 'd' }],
    ];
    const { turns } = await coefficients(script, { ...rlvp, channels: 'token', processCredit: 0.25 });
    // 24 tokens act, two of them did their duty; outcomes are both 0
    expect(turns).toEqual(
      closeTo([
        [0.25 / 2, 0],
        [0, 0],
      ]),
    );
  });

  it('leaves the tokens of a cut episode out of both channels', async () => {
    const script = [
      [words('a'), words('b')],
      [words('d'), { text: 'b'.repeat(12), cut: true }],
    ];
    const masked = { ...dear, channels: 'token', maskTruncatedCompletions: true } as const;
    const { turns, step } = await coefficients(script, masked);
    // both opened; of the twenty tokens left ten did their duty
    expect(turns).toEqual(closeTo([[0.5 / 10, 0], []]));
    expect(step.metrics['stop/max_tokens']).toBe(0.5);
  });

  it('gives each turn its own advantage when the conversation was split', async () => {
    const forgetful = {
      ...letterTokenizer,
      decode: (ids: ArrayLike<number>) => letterTokenizer.decode(ids).replaceAll('d', 'c'),
    };
    const { turns, step } = await coefficients(oneOpens, dear, { tokenizer: forgetful });
    expect(step.metrics['num_splits']).toBe(2);
    expect(turns).toEqual(closeTo([[0.35 / 40], [0.35 / 40 - 0.3 / 10], [-0.35 / 40], [-0.35 / 40]]));
  });

  it('reports how the rules were kept, whatever is learned from', async () => {
    const { step } = await coefficients(oneOpens, {});
    expect(step.metrics).toMatchObject({ 'rlvp/violations_per_100_calls': 25, 'rlvp/clean': 0.5 });
    expect(step.completions[0]?.advantage).toBeCloseTo(0.70701, 4);
    const { step: hybrid } = await coefficients(oneOpens, dear);
    // the mean over twenty tokens of .35 and .35 − .3 · 40 / 10
    expect(hybrid.completions[0]?.advantage).toBeCloseTo(0.35 - 0.6, 5);
  });

  it('needs an environment that keeps rules', async () => {
    await expect(coefficients(oneOpens, rlvp, { env: letterWorld(() => 1) })).rejects.toThrow(
      /channels is hybrid, but the environment reports no `violations`/,
    );
  });

  it.each<[string, Partial<GRPOConfig>, RegExp]>([
    ['a price nobody reads', { lambda: 0.3 }, /with channels 'outcome' nothing reads them/],
    ['deviations', { ...rlvp, scaleRewards: 'group' }, /divided by nothing. Set .* scaleRewards to none/],
    [
      'another denominator',
      { ...rlvp, lossType: 'grpo' },
      /each channel is divided by its own number of tokens/,
    ],
    ['filtered groups', { ...rlvp, filterZeroStdGroups: true }, /their process teaches too/],
    ['a reward for breaking rules', { ...rlvp, lambda: -1 }, /lambda is -1, expected a number ≥ 0/],
    [
      'a channel of another name',
      { ...rlvp, channels: 'c3' as 'hybrid' },
      /channels is c3, expected one of outcome/,
    ],
  ])('refuses %s', (_, config, message) => {
    expect(() => defineGRPOConfig(config)).toThrow(message);
  });
});

/** A conversation of two turns, to be imitated. */
function conversation(...replies: readonly [string, string]): SFTRow {
  const messages = [{ role: 'user', content: 'g' } as const];
  const first = renderPrompt(letterTokenizer, messages);
  const second = renderPrompt(letterTokenizer, [
    ...messages,
    { role: 'assistant', content: replies[0] },
    { role: 'user', content: 'f' },
  ]);
  const tokens = Int32Array.of(...second, ...renderCompletion(letterTokenizer, replies[1]));
  const mask = new Uint8Array(tokens.length);
  const spans = [first, second].map(({ length }, turn) => [
    length,
    length + (replies[turn] as string).length + 1,
  ]);
  for (const [start, end] of spans) mask.fill(1, start, end);
  return { tokens, mask };
}

it('keeps the rule and the success, of a policy that has seen both ways, where outcomes alone keep the habit', async () => {
  await initBackend({ backend: 'wasm' });
  const learn = (config: Partial<GRPOConfig>): Promise<GRPOStep[]> =>
    withEngine(async (engine) => {
      const rows = [conversation('b', 'd'), conversation('b', 'd'), conversation('a', 'b')];
      await collect(
        sft({ engine, rows, config: { batchSize: 3, maxSteps: 40, learningRate: 0.02, warmupSteps: 2 } }),
      );
      const size = { promptsPerStep: 4, numGenerations: 8, maxCompletionLength: 2, maxSteps: 24 };
      const tasks = [letterTask('t', 'g')];
      return collect(
        grpo({
          engine,
          tokenizer: letterTokenizer,
          env: doors,
          tasks,
          config: { ...config, ...size, maxClippedRatio: 1, learningRate: 0.005 },
        }),
      );
    });
  const atTheEnd = (steps: readonly GRPOStep[], name: string): number =>
    mean(steps.slice(-8).map(({ metrics }) => metrics[name] as number));
  const [outcomes, both] = [await learn({ scaleRewards: 'none' }), await learn(rlvp)];
  expect(atTheEnd(outcomes, 'reward')).toBeGreaterThan(0.95);
  expect(atTheEnd(outcomes, 'rlvp/violations_per_100_calls')).toBeGreaterThan(40);
  expect(atTheEnd(both, 'reward')).toBeGreaterThan(0.9);
  expect(atTheEnd(both, 'rlvp/violations_per_100_calls')).toBeLessThan(5);
});
