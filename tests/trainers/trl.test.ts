/** The same step as TRL's trainers on the same batch: loss, metrics, and the gradient of every weight. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLocalEngine,
  createScalarEngine,
  type Datum,
  type Engine,
  type ScalarDatum,
  type ScalarEngine,
} from 'posttrain/engine';
import { microStep } from 'posttrain/engine/micro-step';
import { scalarStep } from 'posttrain/engine/scalar';
import { cloneModel, disposeModel, type Model } from 'posttrain/model';
import { loadModel } from 'posttrain/model/checkpoint.node';
import { initBackend } from 'posttrain/tensor';
import { dpo, type DPOConfig, kto, reward } from 'posttrain/trainers';
import { fixturePath } from '../model/fixture.js';
import { collect } from './runs.js';
import { expectGradients, readTRL } from './trl-reference.js';

const END = 1;
const trl = readTRL('trl.safetensors');
const { results } = trl;
const reply = (tokens: readonly number[]): Int32Array => Int32Array.of(...tokens, END);
const pairs = trl.input<[number[], number[], number[]][]>('pairs').map(([prompt, chosen, rejected]) => ({
  prompt: Int32Array.from(prompt),
  chosen: reply(chosen),
  rejected: reply(rejected),
}));
const replies = trl.input<[number[], number[], boolean][]>('replies').map(([prompt, completion, label]) => ({
  prompt: Int32Array.from(prompt),
  completion: reply(completion),
  label,
}));

/** An engine that remembers what it was last trained on. */
function recording(engine: Engine): { readonly engine: Engine; readonly data: () => readonly Datum[] } {
  let last: readonly Datum[] = [];
  const forwardBackward: Engine['forwardBackward'] = (batch, ...rest) => {
    last = batch;
    return engine.forwardBackward(batch, ...rest);
  };
  const verbs = { maxLength: engine.maxLength, policyVersion: 0, forwardBackward };
  const recorder = {
    ...verbs,
    logprobs: engine.logprobs.bind(engine),
    // the weights stay, so that the gradient can be taken again
    optimStep: () => Promise.resolve({ gradNorm: 1, stepped: true }),
  };
  return { engine: recorder as unknown as Engine, data: () => last };
}

/** Frees the step. */
describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  let policy: Model;
  let reference: Model;
  beforeAll(async () => {
    await initBackend({ backend });
    ({ model: policy } = await loadModel(fixturePath('llama-tied-gqa')));
    reference = cloneModel(policy);
    for (const weight of reference.weights.values()) tf.tidy(() => weight.assign(tf.mul(weight, 1.1)));
    return () => [policy, reference].forEach(disposeModel);
  });

  it.each(['sigmoid', 'ipo', 'hinge', 'kto'] as const)('%s is TRL’s', async (name) => {
    const engine = createLocalEngine(policy);
    const recorder = recording(engine);
    const options = { engine: recorder.engine, reference: createLocalEngine(reference) };
    const common = { beta: 0.3, maxSteps: 1, shuffleDataset: false };
    const run =
      name === 'kto'
        ? kto({
            ...options,
            rows: replies,
            config: { ...common, batchSize: replies.length, desirableWeight: 1.5, undesirableWeight: 0.5 },
          })
        : dpo({
            ...options,
            rows: pairs,
            config: { ...common, batchSize: pairs.length, lossType: name } as Partial<DPOConfig>,
          });
    const [step] = await collect(run);
    const { loss, metrics } = results[name] as (typeof results)[string];

    expect(Math.abs((step?.metrics['loss'] as number) - loss)).toBeLessThan(1e-5 * Math.max(1, loss));
    const shared = Object.keys(metrics).filter((key) => !key.startsWith('logits/'));
    for (const key of shared) {
      const difference = Math.abs((step?.metrics[key] as number) - (metrics[key] as number));
      // sums of log-probabilities, of which two are subtracted and multiplied by beta
      expect(difference, key).toBeLessThan(1e-4 * Math.max(1, Math.abs(metrics[key] as number)));
    }
    expectGradients(trl, name, microStep(policy, recorder.data(), { name: 'cross_entropy' }, 1));
    engine.dispose();
  });

  it.each(['reward', 'reward_centered'])('%s is TRL’s', async (name) => {
    const { model } = await loadModel(fixturePath('llama-score'));
    const engine = createScalarEngine(model);
    const centerRewardsCoefficient = name === 'reward' ? null : 0.05;
    const config = { maxSteps: 1, batchSize: pairs.length, centerRewardsCoefficient, learningRate: 0 };
    let batch: readonly ScalarDatum[] = [];
    const forwardBackward: ScalarEngine['forwardBackward'] = (data, loss) => {
      batch = data;
      return engine.forwardBackward(data, loss);
    };
    const optimStep = engine.optimStep.bind(engine);
    const recorder = { forwardBackward, optimStep } as unknown as ScalarEngine;
    const [step] = await collect(reward({ engine: recorder, rows: pairs, config }));
    const { loss, metrics } = results[name] as (typeof results)[string];
    expect(Math.abs((step?.metrics['loss'] as number) - loss)).toBeLessThan(1e-5);
    const shared = ['accuracy', 'margin', 'min_reward', 'mean_reward', 'max_reward', 'num_tokens'];
    expect(Object.keys(metrics).sort()).toEqual([...shared].sort());
    for (const key of shared) expect(step?.metrics[key], key).toBeCloseTo(metrics[key] as number, 4);
    expectGradients(trl, name, scalarStep(model, batch, { name: 'bradley_terry', centerRewardsCoefficient }));
    engine.dispose();
    disposeModel(model);
  });

  it('compares a policy that has left its reference, and KTO with a reference point above 0', () => {
    expect(results['kto']?.metrics['kl']).toBeGreaterThan(0.1);
    expect(Math.abs(results['sigmoid']?.metrics['rewards/chosen'] as number)).toBeGreaterThan(0.1);
  });
});
