/**
 * The plain loops and the trainer are the same algorithms. Both begin with the same tiny model, draw their samples from the same
 * keys, and must arrive at the same weights: the loop written with tfjs alone, and `grpo` or `ppo` with the settings of the lesson.
 */
import { readFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Engine, type EngineState } from 'posttrain/engine';
import { disposeModel, type Model } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { renderPrompt } from 'posttrain/text';
import {
  distill,
  gkd,
  grpo,
  type GRPOConfig,
  grpoPresets,
  type GRPOStep,
  ppo,
  type PPOConfig,
} from 'posttrain/trainers';
import { END } from '../engine/scripted.js';
import { letterTask, letterTokenizer, letterWorld, tinyModel } from '../engine/tiny.js';
import { collect, withEngine, withScalarEngine } from '../trainers/runs.js';
import { train as reinforce } from './01-reinforce.js';
import { train as baseline } from './02-baseline.js';
import { train as clip } from './03-clip.js';
import { train as kl } from './04-kl.js';
import { train as critic } from './05-critic.js';
import { train as groups } from './06-groups.js';
import { train as grpoAsPublished } from './07-grpo.js';
import { train as withoutKL } from './08-without-kl.js';
import { train as clipHigher } from './09-clip-higher.js';
import { train as tokenMean } from './10-token-mean.js';
import { train as dynamicSampling } from './11-dynamic-sampling.js';
import { train as overlongFiltering } from './12-overlong-filtering.js';
import { train as dapo } from './13-dapo.js';
import { train as distillation } from './14-distillation.js';
import { train as wholeDistributions } from './15-whole-distributions.js';
import type { Loop, TaughtWorld, World } from './world.js';

const requests = Array.from('abcdefg ', (letter) => [letter, `${letter}a`]).flat();
const maxCompletionLength = 8;
/** One of the first four groups has no reply that begins with b, so that dynamic sampling has something to replace. */
const worth = (reply: string): number => (reply.startsWith('b') ? 1 : 0);
const world: World = {
  prompts: requests.map((content) => renderPrompt(letterTokenizer, [{ role: 'user', content }])),
  reward: (reply) => worth(letterTokenizer.decode(reply)),
  stopToken: END,
  maxCompletionLength,
};

/** Adam with an epsilon this large moves in proportion to the gradient, so that a wrong factor shows. */
const adam = { learningRate: 1, adamBeta1: 0.9, adamBeta2: 0.95, adamEpsilon: 1 };
const oneStep = {
  ...adam,
  warmupSteps: 0,
  maxGradNorm: 1e9,
  maxCompletionLength,
  maxSteps: 1,
  shuffleDataset: false,
};
const shared: Partial<GRPOConfig> = { ...oneStep, maxClippedRatio: 1 };

interface Lesson {
  readonly name: string;
  readonly train: Loop;
  readonly config: Partial<GRPOConfig>;
}

/** Each lesson's settings are those of the one before, with these changes. */
const changes: readonly (readonly [name: string, train: Loop, change: Partial<GRPOConfig>])[] = [
  ['01-reinforce', reinforce, { ...grpoPresets.reinforce, promptsPerStep: 16, baseline: 'none' }],
  ['02-baseline', baseline, { baseline: 'batch' }],
  ['03-clip', clip, { numIterations: 2, epsilon: 0.2 }],
  ['04-kl', kl, { beta: 0.04 }],
  ['06-groups', groups, { promptsPerStep: 4, numGenerations: 4, baseline: 'group', scaleRewards: 'group' }],
  ['07-grpo', grpoAsPublished, { lossType: 'grpo' }],
  ['08-without-kl', withoutKL, { beta: 0 }],
  ['09-clip-higher', clipHigher, { epsilonHigh: 0.28 }],
  ['10-token-mean', tokenMean, { lossType: 'dapo' }],
  ['11-dynamic-sampling', dynamicSampling, { filterZeroStdGroups: 'resample' }],
  ['12-overlong-filtering', overlongFiltering, { maskTruncatedCompletions: true }],
  ['13-dapo', dapo, { softPunishCache: 4 }],
];
const lessons = changes.reduce<Lesson[]>(
  (done, [name, train, change]) => [...done, { name, train, config: { ...done.at(-1)?.config, ...change } }],
  [],
);
const configOf = (name: string): Partial<GRPOConfig> | undefined =>
  lessons.find((lesson) => lesson.name === name)?.config;

const flat = (model: Model): number[] => [...model.weights.values()].flatMap((w) => [...w.dataSync()]);

async function stepOfLoop<W extends World>(train: Loop<W>, inWorld: W, maxSteps = 1): Promise<number[]> {
  const model = tinyModel();
  const optimizer = tf.train.adam(adam.learningRate, adam.adamBeta1, adam.adamBeta2, adam.adamEpsilon);
  await train(model, inWorld, optimizer, maxSteps);
  const weights = flat(model);
  optimizer.dispose();
  disposeModel(model);
  return weights;
}

const letters = {
  tokenizer: letterTokenizer,
  tasks: requests.map((request) => letterTask(request, request)),
  env: letterWorld(worth),
};
const flatOf = ({ weights }: EngineState): number[] => [...weights.values()].flatMap(({ data }) => [...data]);

const stepOfLibrary = (config: Partial<GRPOConfig>): Promise<{ weights: number[]; step: GRPOStep }> =>
  withEngine(async (engine) => {
    const [step] = await collect(grpo({ ...letters, engine, config: { ...shared, ...config } }));
    return { weights: flatOf(await engine.save()), step: step as GRPOStep };
  });

/** The weights after two steps of PPO. */
const stepsWithCritic = (config: Partial<PPOConfig>): Promise<number[]> =>
  withScalarEngine((critic) =>
    withEngine(async (engine) => {
      await collect(ppo({ engine, critic, ...letters, config: { ...oneStep, maxSteps: 2, ...config } }));
      return flatOf(await engine.save());
    }),
  );

/** What a teacher teaches in one step; it is another tiny model. */
async function stepOfTeacher(start: Pupil): Promise<number[]> {
  const model = tinyModel(8);
  const teacher = createLocalEngine(model);
  const weights = await withEngine(async (engine) => {
    await collect(start(engine, teacher));
    return flatOf(await engine.save());
  });
  teacher.dispose();
  disposeModel(model);
  return weights;
}
type Pupil = (engine: Engine, teacher: Engine) => AsyncIterable<unknown>;

const ofEach = { ...oneStep, promptsPerStep: 16, numGenerations: 1 };
const taught: readonly { readonly name: string; readonly train: Loop<TaughtWorld>; readonly start: Pupil }[] =
  [
    {
      name: '14-distillation',
      train: distillation,
      start: (engine, teacher) => distill({ ...letters, engine, teacher, config: ofEach }),
    },
    {
      name: '15-whole-distributions',
      train: wholeDistributions,
      start: (engine, teacher) =>
        gkd({ ...letters, engine, teacher, config: { ...ofEach, lmbda: 1, beta: 1, temperature: 1 } }),
    },
  ];

const distance = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] as number))), 0);

describe('a plain loop', () => {
  beforeAll(() => initBackend({ backend: 'wasm' }));

  let before = [] as readonly number[];
  it.each(lessons)(
    '$name takes the step of the library, and no longer that of the one before',
    async ({ train, config }) => {
      const { weights, step } = await stepOfLibrary(config);
      const own = await stepOfLoop(train, world);
      expect(own).toHaveLength(weights.length);
      expect(distance(own, weights)).toBeLessThan(1e-6);
      if (before.length > 0) expect(distance(weights, before)).toBeGreaterThan(1e-4);
      if (config.numIterations === 2) expect(step.metrics['clip_ratio/region_mean']).toBeGreaterThan(0);
      before = weights;
    },
  );

  it.each(taught)(
    '$name takes the step of the library, and another than the last',
    async ({ train, start }) => {
      const teacher = tinyModel(8);
      const weights = await stepOfTeacher(start);
      expect(distance(await stepOfLoop(train, { ...world, teacher }), weights)).toBeLessThan(1e-6);
      expect(distance(weights, before)).toBeGreaterThan(1e-4);
      before = weights;
      disposeModel(teacher);
    },
  );

  it('05-critic takes the steps of ppo, the second with what critic and policy learned in the first', async () => {
    const config = { promptsPerStep: 16, numPpoEpochs: 2, cliprangeValue: null };
    const [own, weights] = [await stepOfLoop(critic, world, 2), await stepsWithCritic(config)];
    expect(own).toHaveLength(weights.length);
    expect(distance(own, weights)).toBeLessThan(1e-6);
    // penalty and critic have both left their mark by then
    for (const change of [{ klCoef: 0 }, { vfCoef: 1e-9 }, { lam: 1 }])
      expect(distance(await stepsWithCritic({ ...config, ...change }), weights)).toBeGreaterThan(1e-5);
  });

  it('comes to the presets on its way', () => {
    expect(configOf('02-baseline')).toMatchObject({ ...grpoPresets.reinforce, promptsPerStep: 16 });
    expect(configOf('07-grpo')).toMatchObject(grpoPresets.grpo);
    const short = { maxCompletionLength, softPunishCache: 4 };
    expect({ ...shared, ...configOf('13-dapo') }).toMatchObject({ ...grpoPresets.dapo, ...short });
  });

  it.each([...lessons, { name: '05-critic' }, ...taught])(
    '$name can be read at one sight, and needs nothing but tfjs and a model',
    ({ name }) => {
      const source = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
      expect(source.split('\n').length - 1).toBeLessThanOrEqual(60);
      const imports = [...source.matchAll(/ from '(.*)'/g)].map(([, from]) => from);
      expect(imports).toEqual(['@tensorflow/tfjs-core', 'posttrain/model', './world.js']);
    },
  );
});
