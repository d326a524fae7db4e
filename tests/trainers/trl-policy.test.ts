/** The same step as TRL's SFT, GRPO and GKD trainers on the same batch: advantages, loss, metrics, and the gradient of every weight. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Datum, type Engine, type ForwardBackwardResult } from 'posttrain/engine';
import { type MicroStep, microStep } from 'posttrain/engine/micro-step';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { k3OfToken, type LossSpec, mean, standardDeviation } from 'posttrain/losses';
import { cloneModel, disposeModel, type Model, type Sample } from 'posttrain/model';
import { loadModel } from 'posttrain/model/checkpoint.node';
import { initBackend } from 'posttrain/tensor';
import { chatTokens, type Tokenizer } from 'posttrain/text';
import {
  gkd,
  type GKDConfig,
  grpo,
  type GRPOConfig,
  type GRPOStep,
  sft,
  type SFTRow,
} from 'posttrain/trainers';
import { defineGRPOConfig } from 'posttrain/trainers/grpo-config';
import { policyMetrics } from 'posttrain/trainers/grpo-metrics';
import { fixturePath } from '../model/fixture.js';
import { letterTask, type LetterTask } from '../engine/tiny.js';
import { collect } from './runs.js';
import { expectGradients, readTRL, type TRLResult } from './trl-reference.js';

const END = 1;
const trl = readTRL('trl-policy.safetensors');
const resultOf = (name: string): TRLResult => trl.results[name] as TRLResult;

/** One character a token: the chat tokens, then the letters from A on. */
const vocabulary: readonly string[] = [
  ...chatTokens,
  ...Array.from({ length: 35 }, (_, n) => String.fromCharCode(65 + n)),
];
const tokenizer: Tokenizer = {
  vocabSize: vocabulary.length,
  encode: (text) => Int32Array.from(text, (letter) => vocabulary.indexOf(letter)),
  decode: (ids) => Array.from(ids, (id) => vocabulary[id]).join(''),
  tokenId: (token) => vocabulary.indexOf(token),
  toJSON: () => '{}',
};
const textOf = (ids: readonly number[]): string => tokenizer.decode(ids);

interface ScriptedEpisode {
  readonly turns: readonly number[][];
  readonly answer?: readonly number[];
  readonly cut?: boolean;
  readonly reward: number;
}
const episodes = trl.input<ScriptedEpisode[][]>('episodes');
const tasks = trl.input<number[][]>('requests').map((ids, n) => letterTask(String(n), textOf(ids)));

/** Recognises the episode by its first reply; answers until its turns are over, then pays. */
const env: Environment<LetterTask> = {
  name: 'scripted',
  start: (task) => {
    let turn = 0;
    let episode: ScriptedEpisode | undefined;
    return {
      initialObservation: () => task.request,
      step: (reply): StepResult => {
        episode ??= episodes[Number(task.id)]?.find(({ turns }) => textOf(turns[0] as number[]) === reply);
        const { turns, answer = [], reward } = episode as ScriptedEpisode;
        turn += 1;
        const metrics = {};
        return turn < turns.length
          ? { reward: 0, episodeDone: false, nextObservation: textOf([...answer]), metrics }
          : { reward, episodeDone: true, nextObservation: null, stopReason: 'completed', metrics };
      },
    };
  },
};

/** Says what the script says; the turn is the last part of the key’s purpose. */
const sample: Engine['sample'] = (_, __, keys) =>
  Promise.resolve(
    keys.map(({ purpose, index }): Sample => {
      const { turns, cut = false } = episodes[Math.floor(index / 2 ** 16)]?.[
        index % 2 ** 16
      ] as ScriptedEpisode;
      const said = turns[Number(purpose.split('/')[1])] as number[];
      const tokens = Int32Array.from(cut ? said : [...said, END]);
      return { tokens, logprobs: new Float32Array(tokens.length), finishReason: cut ? 'length' : 'stop' };
    }),
  );

const conversations = trl.input<[number[], number[]][]>('conversations').map(([tokens, mask]) => ({
  tokens: Int32Array.from(tokens),
  mask: Uint8Array.from(mask),
}));

interface Call {
  readonly data: readonly Datum[];
  readonly loss: LossSpec;
  readonly temperature: number | undefined;
  readonly forward: ForwardBackwardResult;
}

/** The first update of a step sees the first policy, the second the second, and none changes any; remembers what each was asked. */
function sequenceOf(engines: readonly Engine[]): { readonly engine: Engine; readonly calls: Call[] } {
  const calls: Call[] = [];
  const engine = {
    sample,
    policyVersion: 0,
    maxLength: engines[0]?.maxLength,
    forwardBackward: async (data: readonly Datum[], loss: LossSpec, temperature?: number) => {
      const forward = await (engines[calls.length] as Engine).forwardBackward(data, loss, temperature);
      calls.push({ data, loss, temperature, forward });
      return forward;
    },
    optimStep: () => Promise.resolve({ gradNorm: 1, stepped: true }),
  };
  return { engine: engine as unknown as Engine, calls };
}

/** Cases of make_trl_policy.py. */
const cases: Readonly<Record<string, Partial<GRPOConfig>>> = {
  grpo: { lossType: 'grpo' },
  bnpo: { lossType: 'bnpo', scaleRewards: 'batch' },
  dr_grpo: { lossType: 'dr_grpo', scaleRewards: 'none' },
  dapo: { lossType: 'dapo', epsilonHigh: 0.28 },
  cispo: { lossType: 'cispo', epsilonHigh: 1.1 },
  kl: { lossType: 'dapo', beta: 0.3 },
  two_sided: { lossType: 'dapo', delta: 1.25 },
  gspo: { lossType: 'grpo', importanceSamplingLevel: 'sequence', epsilon: 0.02, beta: 0.3 },
  overlong: { lossType: 'dapo', maskTruncatedCompletions: true },
  overlong_grpo: { lossType: 'grpo', maskTruncatedCompletions: true },
};

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  let policy: Model;
  let reference: Model;
  let older: Model;
  beforeAll(async () => {
    await initBackend({ backend });
    ({ model: policy } = await loadModel(fixturePath('llama-tied-gqa')));
    const times = (factor: number): Model => {
      const model = cloneModel(policy);
      for (const weight of model.weights.values()) tf.tidy(() => weight.assign(tf.mul(weight, factor)));
      return model;
    };
    [reference, older] = [times(1.1), times(0.94)];
    return () => [policy, reference, older].forEach(disposeModel);
  });

  /** The same call once more, for its gradient. */
  const again = ({ data, loss, temperature = 1 }: Call): MicroStep =>
    microStep(policy, data, loss, temperature);

  /** One step of `grpo` on the script, and what its second update was. */
  async function secondUpdate(
    name: string,
  ): Promise<{ step: GRPOStep; second: Call; config: Partial<GRPOConfig> }> {
    const [scorer, ...engines] = [reference, older, policy].map((model) => createLocalEngine(model));
    const { engine, calls } = sequenceOf(engines);
    const config: Partial<GRPOConfig> = {
      ...cases[name],
      promptsPerStep: 2,
      numGenerations: 4,
      maxCompletionLength: 6,
      numIterations: 2,
      maxSteps: 1,
      shuffleDataset: false,
      maxClippedRatio: 1,
      // the script has no log-probabilities
      logprobTolerance: 1e9,
    };
    const run = grpo({ engine, tokenizer, env, tasks, config, reference: scorer as Engine });
    const [step] = (await collect(run)) as [GRPOStep];
    [scorer, ...engines].forEach((each) => each?.dispose());
    return { step, second: calls[1] as Call, config };
  }

  it.each(Object.keys(cases))('GRPO’s second update is TRL’s: %s', async (name) => {
    const { step, second, config } = await secondUpdate(name);
    const { loss, metrics, advantages } = resultOf(`grpo/${name}`);

    step.completions.forEach(({ advantage }, n) =>
      expect(advantage).toBeCloseTo(advantages?.[n] as number, 5),
    );
    expect(Math.abs(second.forward.loss - loss)).toBeLessThan(1e-5);
    expectGradients(trl, `grpo/${name}`, again(second));

    const now = policyMetrics(
      { data: second.data, trajectories: [] },
      second.forward,
      defineGRPOConfig(config),
    );
    expect(now['entropy']).toBeCloseTo(metrics['entropy'] as number, 5);
    if (config.beta) expect(now['kl']).toBeCloseTo(metrics['kl'] as number, 5);
    const shared = Object.keys(metrics).filter((key) => /^(reward|frac_.*|completions.*)$/.test(key));
    for (const key of shared) expect(step.metrics[key], key).toBeCloseTo(metrics[key] as number, 5);
  });

  it('differs from TRL where the glossary and GRPOConfig say so', async () => {
    const { step, second } = await secondUpdate('kl');
    const { loss, metrics } = resultOf('grpo/kl_corrected');
    // TRL weighs k3 by the importance ratio, unless use_bias_correction_kl is off.
    const { data, forward } = second;
    const correction = data.flatMap(({ weights, oldLogprobs, refLogprobs }, row) =>
      Array.from(weights, (weight, t) => {
        const logprob = forward.logprobs[row]?.[t] as number;
        const ratio = Math.exp(logprob - (oldLogprobs?.[t] as number));
        return weight === 0 ? 0 : weight * (ratio - 1) * k3OfToken(logprob, refLogprobs?.[t] as number).value;
      }),
    );
    const extra = 0.3 * correction.reduce((sum, value) => sum + value, 0);
    expect(forward.loss + extra).toBeCloseTo(loss, 5);
    expect(Math.abs(extra)).toBeGreaterThan(1e-3);
    // TRL counts the tokens of prompts and policy; here those of the environment are read, too.
    expect(step.metrics['num_tokens']).toBe((metrics['num_tokens'] as number) + 2 * 4);
    // TRL's is over all rewards of the step, ours the mean over groups.
    expect(metrics['reward_std']).toBeCloseTo(
      standardDeviation(episodes.flat().map(({ reward }) => reward)),
      5,
    );
    const ofGroups = episodes.map((group) => standardDeviation(group.map(({ reward }) => reward)));
    expect(step.metrics['reward_std']).toBeCloseTo(mean(ofGroups), 5);
    // Of two updates the first clips nothing; TRL logs them one by one.
    expect(step.metrics['clip_ratio/region_mean']).toBeCloseTo(
      (metrics['clip_ratio/region_mean'] as number) / 2,
      5,
    );
  });

  it('counts tokens that GSPO clips, where TRL counts sequences', async () => {
    const { step, second } = await secondUpdate('gspo');
    const clipped = second.data.map(({ weights, advantages, oldLogprobs }, row) => {
      const own = [...weights.keys()].filter((t) => weights[t] !== 0);
      const logRatio = (t: number): number =>
        (second.forward.logprobs[row]?.[t] as number) - (oldLogprobs?.[t] as number);
      const [ratio, advantage] = [
        Math.exp(mean(own.map(logRatio))),
        advantages?.[own[0] as number] as number,
      ];
      const isClipped = advantage > 0 ? ratio > 1.02 : ratio < 0.98;
      return { tokens: own.length, isClipped };
    });
    const ofSequences = mean(clipped.map(({ isClipped }) => Number(isClipped)));
    expect(ofSequences).toBeCloseTo(resultOf('grpo/gspo').metrics['clip_ratio/region_mean'] as number, 6);
    const count = (some: typeof clipped): number => some.reduce((sum, { tokens }) => sum + tokens, 0);
    const ofTokens = count(clipped.filter(({ isClipped }) => isClipped)) / count(clipped);
    // the mean over two updates, of which the first clips nothing
    expect(step.metrics['clip_ratio/region_mean']).toBeCloseTo(ofTokens / 2, 6);
    expect(Math.abs(ofTokens - ofSequences)).toBeGreaterThan(0.01);
  });

  it.each<[string, readonly SFTRow[]]>([
    [
      'completion',
      trl.input<[number[], number[], number[]][]>('pairs').map(([prompt, completion]) => ({
        prompt: Int32Array.from(prompt),
        completion: Int32Array.of(...completion, END),
      })),
    ],
    ['assistant', conversations],
  ])('SFT’s step is TRL’s: %s', async (name, rows) => {
    const own = createLocalEngine(policy);
    const { engine, calls } = sequenceOf([own]);
    const [step] = await collect(sft({ engine, rows, config: { batchSize: rows.length, maxSteps: 1 } }));
    own.dispose();
    const { loss, metrics } = resultOf(`sft/${name}`);
    expect(Math.abs((step?.metrics['loss'] as number) - loss)).toBeLessThan(1e-5);
    for (const key of ['entropy', 'mean_token_accuracy', 'num_tokens'])
      expect(step?.metrics[key], key).toBeCloseTo(metrics[key] as number, 5);
    expectGradients(trl, `sft/${name}`, again(calls[0] as Call));
  });

  it.each<[string, Partial<GKDConfig>]>([
    ['forward', { beta: 0, temperature: 1 }],
    ['half', { beta: 0.5, temperature: 1 }],
    ['reverse', { beta: 1, temperature: 1 }],
    // TRL's DistillationTrainer compares at the temperature of sampling, its GKDTrainer always at 1.
    ['warm', { beta: 0.2, temperature: 0.7 }],
  ])('GKD’s step is TRL’s: %s', async (name, settings) => {
    const [own, teacher] = [policy, reference].map((model) => createLocalEngine(model)) as [Engine, Engine];
    const { engine, calls } = sequenceOf([own]);
    const size = { promptsPerStep: conversations.length, numGenerations: 1, maxSteps: 1 };
    const config = { ...settings, ...size, lmbda: 0 };
    const [step] = await collect(
      gkd({ engine, teacher, tokenizer, env, tasks, rows: conversations, config }),
    );
    expect(Math.abs((step?.metrics['loss'] as number) - resultOf(`gkd/${name}`).loss)).toBeLessThan(1e-5);
    expectGradients(trl, `gkd/${name}`, again(calls[0] as Call));
    [own, teacher].forEach((each) => each.dispose());
  });
});
