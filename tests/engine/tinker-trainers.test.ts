/** Trainers that know nothing of servers, on a remote engine: the numbers are those of a local one. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createScalarEngine, type Engine } from 'posttrain/engine';
import { disposeModel, withScalarHead } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { renderCompletion, renderPrompt } from 'posttrain/text';
import { dpo, grpo, type GRPOConfig, type GRPOStep, kto, type Metrics, ppo, sft } from 'posttrain/trainers';
import { collect } from '../trainers/runs.js';
import { locally } from './contract.js';
import { withServer } from './remote.js';
import { letterTask, letterTokenizer, letterWorld, shareOfA, tinyModel } from './tiny.js';

const prompt = (request: string): ReturnType<typeof renderPrompt> =>
  renderPrompt(letterTokenizer, [{ role: 'user', content: request }]);
const reply = (text: string): ReturnType<typeof renderCompletion> => renderCompletion(letterTokenizer, text);

const common = { batchSize: 2, maxSteps: 4, learningRate: 0.01, seed: 9 };
const texts = [
  { prompt: prompt('a'), completion: reply('bcd') },
  { prompt: prompt('b'), completion: reply('cde') },
  { prompt: prompt('c'), completion: reply('ef') },
];
const pairs = [
  { prompt: prompt('a'), chosen: reply('aa'), rejected: reply('bcd') },
  { prompt: prompt('b'), chosen: reply('aaa'), rejected: reply('c') },
  { prompt: prompt('c'), chosen: reply('a'), rejected: reply('dd') },
];
const judged = texts.map((row, n) => ({ ...row, label: n !== 1 }));
const letters = {
  tokenizer: letterTokenizer,
  tasks: ['a', 'b', 'c', 'd'].map((letter) => letterTask(letter, letter)),
  env: letterWorld(shareOfA),
};
const sampled = { promptsPerStep: 2, numGenerations: 4, maxCompletionLength: 8, maxClippedRatio: 1 };

beforeAll(async () => {
  await initBackend({ backend: 'cpu' });
});

const rows: readonly (readonly [string, (engine: Engine) => AsyncIterable<{ readonly metrics: Metrics }>])[] =
  [
    ['sft', (engine) => sft({ engine, rows: texts, config: common })],
    ['dpo', (engine) => dpo({ engine, rows: pairs, config: { ...common, beta: 0.5 } })],
    ['kto', (engine) => kto({ engine, rows: judged, config: common })],
  ];

describe('on a remote engine', () => {
  it.each(rows)('%s has the metrics of a local run, step by step', async (_, start) => {
    const metricsOf = async (engine: Engine): Promise<Metrics[]> =>
      (await collect(start(engine) as AsyncIterable<{ metrics: Metrics; step: number; state: unknown }>)).map(
        ({ metrics }) => metrics,
      );
    const [here, there] = [await locally(metricsOf), await withServer(metricsOf)];
    expect(here).toHaveLength(4);
    here.forEach((expected, step) => {
      const { entropy, mean_token_accuracy, ...known } = expected;
      expect(entropy).toBeGreaterThan(0);
      expect(Object.keys(there[step] as Metrics).sort()).toEqual(Object.keys(known).sort());
      for (const [name, value] of Object.entries(known))
        expect(
          Math.abs((there[step]?.[name] as number) - value),
          `${name}, ${mean_token_accuracy}`,
        ).toBeLessThan(1e-4);
    });
  });

  it.each<[string, Partial<GRPOConfig>, string[]]>([
    ['once a sample', {}, ['cross_entropy']],
    ['twice a sample', { numIterations: 2 }, ['cross_entropy', 'ppo']],
    ['with a pull to the reference', { beta: 0.04 }, ['cross_entropy']],
    ['with ratios of sequences', { importanceSamplingLevel: 'sequence' }, ['cross_entropy']],
  ])('grpo learns: %s', (_, config, losses) =>
    withServer(async (engine, server) => {
      const reference = config.beta === undefined ? {} : { reference: await engine.reference() };
      const options = { ...letters, ...reference, engine, config: { ...sampled, maxSteps: 4, ...config } };
      const steps = await collect<GRPOStep>(
        grpo({ ...options, config: { ...options.config, learningRate: 0.02 } }),
      );
      expect(steps).toHaveLength(4);
      steps.forEach(({ metrics }) => {
        expect(Object.values(metrics).every(Number.isFinite)).toBe(true);
        expect(metrics).not.toHaveProperty('entropy');
        expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
        expect(metrics['step_skipped']).toBe(0);
      });
      expect(steps[0]?.metrics['grad_norm']).toBeGreaterThan(1e-3);
      expect(engine.policyVersion).toBe(4 * (config.numIterations ?? 1));
      const asked = server
        .bodies('forward_backward')
        .map(({ forward_backward_input: input }) => input.loss_fn);
      expect([...new Set(asked)]).toEqual(losses);
    }),
  );

  it('grpo gets more of what is rewarded', () =>
    withServer(async (engine) => {
      const config = { ...sampled, numGenerations: 8, maxSteps: 9, learningRate: 0.03 };
      const steps = await collect<GRPOStep>(grpo({ ...letters, engine, config }));
      const rewards = steps.map(({ metrics }) => metrics['reward'] as number);
      const mean = (part: readonly number[]): number => part.reduce((a, b) => a + b, 0) / part.length;
      expect(mean(rewards.slice(-3))).toBeGreaterThan(mean(rewards.slice(0, 3)) + 0.1);
    }));

  it('ppo learns with its critic here and its policy there', () =>
    withServer(async (engine) => {
      const language = tinyModel();
      const model = withScalarHead(language);
      const critic = createScalarEngine(model);
      const config = { promptsPerStep: 4, maxCompletionLength: 8, maxSteps: 2 };
      const steps = await collect(ppo({ ...letters, engine, critic, config }));
      expect(steps.map(({ metrics }) => Object.values(metrics).every(Number.isFinite))).toEqual([true, true]);
      expect(steps[0]?.metrics).not.toHaveProperty('policy/entropy_avg');
      expect(engine.policyVersion).toBeGreaterThan(1);
      critic.dispose();
      [language, model].forEach(disposeModel);
    }));
});
