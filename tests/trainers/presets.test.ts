import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from 'posttrain/engine';
import { initBackend } from 'posttrain/tensor';
import { ConfigError, defineGRPOConfig, grpo, type GRPOConfig, grpoPresets } from 'posttrain/trainers';
import { sampleStep, type StepSamples } from 'posttrain/trainers/grpo-groups';
import { grpoLoss } from 'posttrain/trainers/grpo-loss';
import { clipRatios } from 'posttrain/trainers/grpo-metrics';
import { scriptedSampler } from '../engine/scripted.js';
import { letterTask, type LetterTask, letterTokenizer, letterWorld, shareOfA } from '../engine/tiny.js';
import { collect, withEngine } from './runs.js';

const { dapo, drGrpo, reinforce, rloo } = grpoPresets;
const tasks = ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter));

/** The samples of one step in which reply n of the step is `replies[n]`, worth 1 if it begins with an a. */
function sampled(replies: readonly string[], config: Partial<GRPOConfig>): Promise<StepSamples<LetterTask>> {
  let next = 0;
  const engine = scriptedSampler(() => ({ text: replies[next++] as string }));
  const env = letterWorld((reply) => (reply.startsWith('a') ? 1 : 0));
  return sampleStep(
    {
      engine: engine as unknown as Engine,
      tokenizer: letterTokenizer,
      env,
      taskAt: (n) => tasks[n] as LetterTask,
    },
    defineGRPOConfig({ maxCompletionLength: 8, ...config }),
    0,
    0,
  );
}

const advantages = ({ groups }: StepSamples<LetterTask>): number[][] =>
  groups.map((group) => group.advantages.map((advantage) => Math.round(advantage * 1000) / 1000));

describe('presets', () => {
  it.each(Object.entries(grpoPresets))('%s is a frozen set of fields that go together', (_, preset) => {
    expect(Object.isFrozen(preset)).toBe(true);
    expect(defineGRPOConfig(preset)).toMatchObject(preset);
  });

  it('leave the defaults of the trainer alone', () => {
    expect(grpoLoss(defineGRPOConfig())).toEqual({
      name: 'policy_gradient',
      epsilon: 0.2,
      epsilonHigh: 0.2,
      delta: null,
      beta: 0,
    });
    expect(defineGRPOConfig()).toMatchObject({ baseline: 'group', scaleRewards: 'group', lossType: 'dapo' });
  });

  it('contradict a changed field when it takes away what they need', () => {
    expect(() => defineGRPOConfig({ ...dapo, maxCompletionLength: 100 })).toThrow(ConfigError);
    expect(() => defineGRPOConfig({ ...rloo, numGenerations: 1 })).toThrow(ConfigError);
    expect(() => defineGRPOConfig({ ...reinforce, scaleRewards: 'group' })).toThrow(ConfigError);
  });
});

describe('the loss of a config', () => {
  it('clips the ratio of sequences (GSPO)', () => {
    const gspo = defineGRPOConfig({ importanceSamplingLevel: 'sequence', epsilon: 3e-4, epsilonHigh: 4e-4 });
    expect(grpoLoss(gspo)).toMatchObject({ name: 'sequence_ratio', epsilon: 3e-4, epsilonHigh: 4e-4 });
  });

  it('caps the ratio of tokens (CISPO)', () => {
    const config = defineGRPOConfig({ lossType: 'cispo', epsilonHigh: 5 });
    expect(grpoLoss(config)).toEqual({ name: 'cispo', maxRatio: 5, beta: 0 });
  });
});

describe('advantages', () => {
  const oneOfFour = ['a', 'b', 'b', 'b'];

  it.each<[string, Partial<GRPOConfig>, number[][]]>([
    ['GRPO', { ...grpoPresets.grpo, numGenerations: 4 }, [[1.5, -0.5, -0.5, -0.5]]],
    ['Dr. GRPO', { ...drGrpo, numGenerations: 4 }, [[0.75, -0.25, -0.25, -0.25]]],
    ['RLOO', rloo, [[1, -0.333, -0.333, -0.333]]],
  ])('of %s are relative to the group', async (_, config, expected) => {
    expect(advantages(await sampled(oneOfFour, { ...config, promptsPerStep: 1 }))).toEqual(expected);
  });

  it('of REINFORCE are relative to the batch, each sample a group', async () => {
    const config = { ...reinforce, promptsPerStep: 4 };
    expect(advantages(await sampled(oneOfFour, config))).toEqual([[0.75], [-0.25], [-0.25], [-0.25]]);
    const scaled = { ...config, scaleRewards: 'batch' as const };
    expect(advantages(await sampled(oneOfFour, scaled))).toEqual([[1.5], [-0.5], [-0.5], [-0.5]]);
    const plain = { ...config, baseline: 'none' as const };
    expect(advantages(await sampled(oneOfFour, plain))).toEqual([[1], [0], [0], [0]]);
  });

  it('of RLOO are 0 in a group of equal rewards', async () => {
    const { groups, trained } = await sampled(['a', 'a', 'a', 'a'], { ...rloo, promptsPerStep: 1 });
    expect(groups.map((group) => [group.constant, group.advantages])).toEqual([[true, [0, 0, 0, 0]]]);
    expect(trained).toHaveLength(1);
  });

  it('of a batch keep the shape of the groups', async () => {
    const config = { ...reinforce, promptsPerStep: 2, numGenerations: 2 };
    expect(advantages(await sampled(oneOfFour, config))).toEqual([
      [0.75, -0.25],
      [-0.25, -0.25],
    ]);
  });
});

it('warns of replies that come near their limit before it cuts them (DAPO)', async () => {
  // Of 8 tokens the last 4 are punished; the stop token counts.
  const replies = ['aa', 'aaaaa', 'aaaaaaa', 'b'];
  const { groups } = await sampled(replies, {
    ...dapo,
    promptsPerStep: 1,
    numGenerations: 4,
    maxCompletionLength: 8,
    softPunishCache: 4,
  });
  const episodes = groups.flatMap((group) => group.episodes);
  expect(episodes.map(({ reward }) => reward)).toEqual([1, 0.5, 0, 0]);
  expect(episodes.map(({ metrics }) => metrics['soft_overlong_punishment_reward'])).toEqual([0, -0.5, -1, 0]);
});

describe('clip ratios', () => {
  const stream = (...values: number[]): Float32Array => Float32Array.from(values);
  const datum = { tokens: new Int32Array(3), weights: stream(0, 0.1, 0.1), advantages: stream(1, 1, 1) };
  const shares = (config: Partial<GRPOConfig>): unknown =>
    clipRatios(
      { data: [datum], trajectories: [] },
      [stream(0, Math.log(1.5), Math.log(1.1))],
      [stream(0, 0, 0)],
      defineGRPOConfig(config),
    );

  it('are of tokens, or of whole sequences by their geometric mean', () => {
    expect(shares({ epsilon: 0.2 })).toEqual({ low: 0, high: 0.5, region: 0.5 });
    // √(1.5 · 1.1) = 1.28
    expect(shares({ epsilon: 0.2, importanceSamplingLevel: 'sequence' })).toEqual({
      low: 0,
      high: 1,
      region: 1,
    });
    expect(shares({ epsilon: 0.3, importanceSamplingLevel: 'sequence' })).toEqual({
      low: 0,
      high: 0,
      region: 0,
    });
  });

  it('count what CISPO caps', () => {
    expect(shares({ lossType: 'cispo', epsilonHigh: 1.2 })).toMatchObject({ high: 0.5 });
  });
});

describe('a run', () => {
  beforeAll(() => initBackend({ backend: 'wasm' }));

  const run = (config: Partial<GRPOConfig>) =>
    withEngine((engine) =>
      collect(
        grpo({
          engine,
          tokenizer: letterTokenizer,
          tasks,
          env: letterWorld(shareOfA),
          config: {
            promptsPerStep: 4,
            numGenerations: 4,
            maxSteps: 2,
            maxClippedRatio: 1,
            ...config,
            maxCompletionLength: 8,
          },
        }),
      ),
    );

  it('of groups of one measures nothing between samples of a task', async () => {
    const [step] = await run({ ...reinforce, promptsPerStep: 8 });
    expect(step?.metrics['grad_norm']).toBeGreaterThan(1e-4);
    expect(Object.keys(step?.metrics ?? {}).filter((key) => /std$|by_group/.test(key))).toEqual([
      'rewards/success/std',
      'rewards/length/std',
    ]);
  });

  it.each<[string, Partial<GRPOConfig>]>([
    ['clip_ratio/region_mean', { importanceSamplingLevel: 'sequence', epsilon: 3e-4, epsilonHigh: 4e-4 }],
    ['cispo_clip_ratio', { lossType: 'cispo', epsilonHigh: 1.01 }],
  ])('reports %s, not 0 once the policy has moved', async (key, config) => {
    const steps = await run({ ...config, numIterations: 2, learningRate: 0.01, warmupSteps: 0 });
    expect(steps[0]?.metrics[key]).toBeGreaterThan(0);
    expect(Object.keys(steps[0]?.metrics ?? {}).filter((name) => name.includes('clip_ratio'))).toHaveLength(
      key === 'cispo_clip_ratio' ? 1 : 5,
    );
  });
});
