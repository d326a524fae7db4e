import { afterEach, beforeAll, describe, expect, it } from 'vitest';
// Worker threads load compiled files, so all of this test runs on the build.
import { createPooledScalarEngine } from '../../lib/dist/engine/create.node.js';
import { createScalarEngine, type ScalarDatum, type ScalarEngine } from '../../lib/dist/engine/index.js';
import type { ScalarLossSpec } from '../../lib/dist/losses/index.js';
import { addAdapter, createModel, disposeModel, type ModelConfig } from '../../lib/dist/model/index.js';
import { initBackend, randomStream } from '../../lib/dist/tensor/index.js';
import { bits, tinyConfig } from './tiny.js';

beforeAll(async () => {
  await initBackend({ backend: 'wasm' });
});

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

const scalarConfig: ModelConfig = { ...tinyConfig, numLabels: 1 };

/** With so few tokens a part, eight sequences are cut into many. */
const microBatchTokens = 16;

/** @param workers 0 = the engine of this thread */
function open(workers: number): ScalarEngine {
  const model = createModel(scalarConfig, 7);
  const engine =
    workers === 0
      ? createScalarEngine(model, { microBatchTokens })
      : createPooledScalarEngine(model, { workers, microBatchTokens });
  opened.push(() => {
    engine.dispose();
    disposeModel(model);
  });
  return engine;
}

const random = randomStream(3, 'pooled scalar batch');
const steps = [5, 9, 3, 12, 7, 2, 9, 6].map((length): ScalarDatum => {
  const stream = (): Float32Array => Float32Array.from({ length }, () => random.normal());
  return {
    tokens: Int32Array.from({ length }, () => random.int(tinyConfig.vocabSize)),
    weights: Float32Array.from({ length }, (_, t) => (t >= length / 2 ? 1 / 30 : 0)),
    oldValues: stream(),
    returns: stream(),
  };
});
const replies = steps.map(({ tokens }): ScalarDatum => {
  const weights = new Float32Array(tokens.length);
  weights[tokens.length - 1] = 0.25;
  return { tokens, weights };
});
const clipped: ScalarLossSpec = { name: 'value', cliprangeValue: 0.2 };
const pairs: ScalarLossSpec = { name: 'bradley_terry', centerRewardsCoefficient: 0.05 };

/** Everything a critic can be asked for, twice over an optimizer step. */
async function everything(engine: ScalarEngine): Promise<unknown[]> {
  const results: unknown[] = [];
  for (let step = 0; step < 2; step += 1) {
    results.push(await engine.values(steps.map(({ tokens, weights }) => ({ tokens, mask: weights }))));
    results.push(await engine.scores(steps.map(({ tokens }) => tokens)));
    results.push(await engine.forwardBackward(steps, clipped), await engine.forwardBackward(replies, pairs));
    results.push(await engine.optimStep({ learningRate: 1e-2, weightDecay: 0.1, maxGradNorm: 0.1 }));
  }
  return [...results, bits(await engine.save())];
}

describe('pooled scalar engine', () => {
  it.each([1, 2, 3])('with %i workers gives the same bits as the engine of one thread', async (workers) => {
    expect(await everything(open(workers))).toEqual(await everything(open(0)));
  });

  it('goes on from a saved state to the same bits', async () => {
    const states: unknown[] = [];
    for (const engine of [open(2), open(0)]) {
      await engine.forwardBackward(steps, clipped);
      await engine.optimStep({ learningRate: 1e-2 });
      const resumed = open(2);
      await resumed.load(await engine.save());
      await resumed.forwardBackward(steps, clipped);
      await resumed.optimStep({ learningRate: 1e-2 });
      states.push(bits(await resumed.save()));
    }
    expect(states[0]).toEqual(states[1]);
  });

  it('refuses a gradient that is not finite, and then works on', async () => {
    const engine = open(2);
    const before = bits(await engine.save());
    const [first, ...others] = steps as [ScalarDatum, ...ScalarDatum[]];
    const endless = { ...first, returns: new Float32Array(5).fill(Infinity) };
    expect(Number.isFinite((await engine.forwardBackward([endless, ...others], clipped)).loss)).toBe(false);
    expect((await engine.optimStep({ learningRate: 1 })).stepped).toBe(false);
    expect(bits(await engine.save())).toEqual(before);
    await engine.forwardBackward(steps, clipped);
    expect((await engine.optimStep({ learningRate: 1e-2 })).stepped).toBe(true);
  });

  it('refuses a model without a scalar head, or with an adapter, and workers that are none', () => {
    const language = createModel(tinyConfig, 7);
    expect(() => createPooledScalarEngine(language, { workers: 1 })).toThrow(/withScalarHead/);
    const adapted = addAdapter(createModel(scalarConfig, 7), { r: 2, loraAlpha: 4, seed: 3 });
    expect(() => createPooledScalarEngine(adapted, { workers: 1 })).toThrow(/mergeAdapter/);
    const model = createModel(scalarConfig, 7);
    expect(() => createPooledScalarEngine(model, { workers: 0 })).toThrow(/whole number from 1 on/);
    for (const each of [language, adapted, model]) disposeModel(each);
  });
});
