import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Datum, type Engine, learningRateAt } from 'posttrain/engine';
import { readCheckpoint, writeCheckpoint } from 'posttrain/engine/checkpoint.node';
import { type LossSpec, type LossType, lossTypes, tokenWeights } from 'posttrain/losses';
import { forward, type Model, outputLogits } from 'posttrain/model';
import { initBackend, type RandomStream, randomStream } from 'posttrain/tensor';
import { testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { closedAfterEach } from './opened.js';
import { bits, tinyConfig, tinyModel } from './tiny.js';

const policyGradient: LossSpec = {
  name: 'policy_gradient',
  epsilon: 0.2,
  epsilonHigh: 0.28,
  delta: 3,
  beta: 0.1,
};

/** Every loss, with each way of weighing tokens. */
const policyLosses: readonly (readonly [LossSpec['name'], LossType, LossSpec])[] = [
  ...lossTypes.map((lossType) => ['policy_gradient', lossType, policyGradient] as const),
  ['sequence_ratio', 'grpo', { ...policyGradient, name: 'sequence_ratio' }],
  ['cispo', 'cispo', { name: 'cispo', maxRatio: 1.1, beta: 0.1 }],
  ['generalized_jsd', 'grpo', { name: 'generalized_jsd', beta: 0.3 }],
];

/** Eight ragged sequences with all streams filled. */
function batchOf(lossType: LossType): Datum[] {
  const random = randomStream(3, 'batch');
  const lengths = [5, 9, 3, 12, 7, 2, 9, 6];
  const masks = lengths.map((length) => Uint8Array.from({ length }, (_, t) => (t >= length / 2 ? 1 : 0)));
  const weights = tokenWeights(masks, lossType, 10);
  return lengths.map((length, row) => {
    const stream = (scale: number): Float32Array =>
      Float32Array.from({ length }, () => -2.5 + scale * random.normal());
    return {
      tokens: Int32Array.from({ length }, () => random.int(tinyConfig.vocabSize)),
      weights: weights[row] as Float32Array,
      advantages: new Float32Array(length).fill(random.normal()),
      oldLogprobs: stream(0.2),
      refLogprobs: stream(0.4),
      teacherLogprobs: distributions(masks[row]?.filter(Boolean).length as number, random),
    };
  });
}

/** `[n, V]` logits, which serve as well as log-probabilities. */
const distributions = (n: number, random: RandomStream): Float32Array =>
  Float32Array.from({ length: n * tinyConfig.vocabSize }, () => random.normal());

const { keep } = closedAfterEach();
function open(microBatchTokens?: number, seed?: number): { engine: Engine; model: Model } {
  const model = tinyModel(seed);
  const engine = createLocalEngine(model, microBatchTokens === undefined ? {} : { microBatchTokens });
  return keep({ engine, model });
}

describe.each(testedBackends)('local engine on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it.each(policyLosses)(
    'gives the same loss and step for %s, %s, however the batch is cut',
    async (_, lossType, spec) => {
      const batch = batchOf(lossType);
      const results = [];
      // All at once; parts by token budget; one sequence at a time; and in two calls.
      for (const budget of [1000, 30, 1]) {
        const { engine } = open(budget);
        const { loss } = await engine.forwardBackward(batch, spec);
        const { gradNorm } = await engine.optimStep({ learningRate: 1e-2 });
        results.push({ loss, gradNorm, state: await engine.save() });
      }
      const { engine } = open();
      const first = await engine.forwardBackward(batch.slice(0, 3), spec);
      const second = await engine.forwardBackward(batch.slice(3), spec);
      const { gradNorm } = await engine.optimStep({ learningRate: 1e-2 });
      results.push({ loss: first.loss + second.loss, gradNorm, state: await engine.save() });

      const [whole, ...others] = results;
      expect(whole?.gradNorm).toBeGreaterThan(1e-3);
      for (const other of others) {
        expect(Math.abs(other.loss - (whole?.loss as number))).toBeLessThan(1e-6);
        expect(Math.abs((other.gradNorm as number) - (whole?.gradNorm as number))).toBeLessThan(1e-5);
        for (const [name, { data }] of other.state.firstMoments) {
          const expected = whole?.state.firstMoments.get(name)?.data as Float32Array;
          data.forEach((value, index) =>
            expect(Math.abs(value - (expected[index] as number))).toBeLessThan(1e-6),
          );
        }
      }
    },
  );

  it('returns the log-probability of each trained token at its own place', async () => {
    const { engine, model } = open(20);
    const batch = batchOf('dapo');
    const { logprobs, entropies } = await engine.forwardBackward(batch, policyGradient, 0.5);
    const sequences = batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));
    const scored = await engine.logprobs(sequences, 0.5);
    const whole = await engine.distributions([...sequences, { tokens: [1, 2], mask: [0, 0] }]);
    expect(whole.pop()).toEqual(new Float32Array());
    for (const [row, { tokens, weights }] of batch.entries()) {
      const flat = await valuesOf(() => {
        const hidden = forward(model, tf.tensor2d(tokens, [1, tokens.length], 'int32'));
        return tf.logSoftmax(tf.div(outputLogits(model, tf.reshape(hidden, [tokens.length, 16])), 0.5));
      });
      const table = Array.from(tokens, (_, t) => [...flat.subarray(13 * t, 13 * t + 13)]);
      // the distribution at temperature 1, sharpened, is the one at ½
      const rows = [...weights.keys()].flatMap((t) => (weights[t] === 0 ? [] : (table[t - 1] as number[])));
      const sharpened = await valuesOf(() =>
        tf.logSoftmax(tf.div(tf.tensor2d(whole[row] as Float32Array, [rows.length / 13, 13]), 0.5)),
      );
      sharpened.forEach((value, n) => expect(Math.abs(value - (rows[n] as number))).toBeLessThan(1e-4));
      weights.forEach((weight, t) => {
        const expected = weight === 0 ? 0 : (table[t - 1]?.[tokens[t] as number] as number);
        const entropy =
          weight === 0 ? 0 : -(table[t - 1] as number[]).reduce((sum, lp) => sum + Math.exp(lp) * lp, 0);
        expect(Math.abs((logprobs[row]?.[t] as number) - expected)).toBeLessThan(1e-5);
        expect(Math.abs((scored[row]?.[t] as number) - expected)).toBeLessThan(1e-5);
        expect(Math.abs((entropies?.[row]?.[t] as number) - entropy)).toBeLessThan(1e-4);
      });
    }
  });

  it('leaves the weights alone, bit for bit, when the advantages are 0 or the loss is not finite', async () => {
    const { engine } = open();
    const before = bits(await engine.save());
    const batch = batchOf('dapo');
    const poisoned = batch.map((datum) => ({
      ...datum,
      advantages: new Float32Array(datum.tokens.length).fill(Infinity),
    }));
    const { loss } = await engine.forwardBackward(poisoned, policyGradient);
    expect(Number.isFinite(loss)).toBe(false);
    const { stepped } = await engine.optimStep({ learningRate: 1e-2 });
    expect(stepped).toBe(false);
    expect(engine.policyVersion).toBe(0);
    expect(bits(await engine.save())).toEqual(before);

    const neutral = batch.map(({ tokens, weights }) => ({
      tokens,
      weights,
      advantages: new Float32Array(tokens.length),
    }));
    await engine.forwardBackward(neutral, { ...policyGradient, beta: 0 });
    expect(await engine.optimStep({ learningRate: 1e-2 })).toEqual({ gradNorm: 0, stepped: true });
    expect(bits(await engine.save())).toEqual(before);
  });

  it.each(['adamw', 'muon'] as const)(
    'takes an undefined hyper-parameter for its default, %s',
    async (optim) => {
      const stepped = async (params: object): Promise<unknown> => {
        const { engine } = open();
        await engine.forwardBackward(batchOf('dapo'), policyGradient);
        await engine.optimStep({ learningRate: 1e-2, optim, ...params });
        return bits(await engine.save());
      };
      const unsaid = { adamBeta1: undefined, adamBeta2: undefined, adamEpsilon: undefined };
      const others = { adjustLrFn: undefined, weightDecay: undefined, maxGradNorm: undefined };
      expect(await stepped({ ...unsaid, ...others })).toEqual(await stepped({}));
    },
  );

  it.each(['adamw', 'muon'] as const)('goes on bit-identically from a checkpoint file, %s', async (optim) => {
    const folder = mkdtempSync(join(tmpdir(), 'posttrain-'));
    const path = join(folder, 'checkpoint.safetensors');
    const batch = batchOf('dapo');
    const step = async (engine: Engine): Promise<void> => {
      await engine.forwardBackward(batch, policyGradient);
      await engine.optimStep({ learningRate: 1e-2, weightDecay: 0.1, optim });
    };
    const straight = open().engine;
    for (let n = 0; n < 4; n += 1) await step(straight);

    const stopped = open().engine;
    for (let n = 0; n < 2; n += 1) await step(stopped);
    writeCheckpoint(path, { engine: await stopped.save(), trainer: { step: 2 } });
    const resumed = open(undefined, 99).engine;
    const { engine: state, trainer } = readCheckpoint<{ step: number }>(path);
    await resumed.load(state);
    expect(trainer).toEqual({ step: 2 });
    expect(resumed.policyVersion).toBe(2);
    for (let n = 0; n < 2; n += 1) await step(resumed);
    const [resumedState, straightState] = [await resumed.save(), await straight.save()];
    expect(bits(resumedState)).toEqual(bits(straightState));
    expect(resumedState).toEqual(straightState);

    const other = optim === 'muon' ? 'adamw' : 'muon';
    await resumed.forwardBackward(batch, policyGradient);
    await expect(resumed.optimStep({ learningRate: 1e-2, optim: other })).rejects.toThrow(
      new RegExp(`optim is ${other}, but the moments so far are those of ${optim}`),
    );
    expect(await resumed.save()).toEqual(straightState);

    writeFileSync(path, readFileSync(path).subarray(0, 500));
    expect(() => readCheckpoint(path)).toThrow(/Cannot resume from .*checkpoint.safetensors/);
    rmSync(folder, { recursive: true });
  });

  it('refuses a state of another model and changes nothing', async () => {
    const { engine } = open();
    const state = await engine.save();
    const weights = new Map(state.weights);
    weights.set('model.norm.weight', { shape: [3], data: new Float32Array(3) });
    await expect(engine.load({ ...state, weights })).rejects.toThrow(/`model.norm.weight` is 3, expected 16/);
    weights.delete('model.norm.weight');
    await expect(engine.load({ ...state, weights })).rejects.toThrow(/is missing/);
    expect(bits(await engine.save())).toEqual(bits(state));
  });

  it('holds a reference that does not move', async () => {
    const { engine } = open();
    const reference = await engine.reference();
    const sequences = batchOf('dapo').map(({ tokens, weights }) => ({ tokens, mask: weights }));
    const before = await reference.logprobs(sequences);
    await engine.forwardBackward(batchOf('dapo'), policyGradient);
    await engine.optimStep({ learningRate: 1e-2 });
    expect(await reference.logprobs(sequences)).toEqual(before);
    expect(await engine.logprobs(sequences)).not.toEqual(before);
    reference.dispose();
  });

  it('gives Muon the matrices inside the layers, AdamW all others', async () => {
    const { engine } = open();
    await engine.forwardBackward(batchOf('dapo'), policyGradient);
    await engine.optimStep({ learningRate: 1e-2, optim: 'muon' });
    const { firstMoments, secondMoments } = await engine.save();
    expect(firstMoments.size).toBe(2 + 2 * 9);
    expect([...secondMoments.keys()].filter((name) => !name.endsWith('norm.weight'))).toEqual([
      'model.embed_tokens.weight',
    ]);
  });

  it.each(['adamw', 'muon'] as const)('keeps the number of tensors constant, %s', async (optim) => {
    const { engine } = open(20);
    const step = async (): Promise<number> => {
      await engine.forwardBackward(batchOf('dapo'), policyGradient);
      await engine.optimStep({ learningRate: 1e-2, optim });
      await engine.logprobs([{ tokens: Int32Array.of(1, 2, 3), mask: [0, 1, 1] }]);
      return tf.memory().numTensors;
    };
    const first = await step();
    expect(await step()).toBe(first);
    await engine.load(await engine.save());
    expect(tf.memory().numTensors).toBe(first);
  });
});

describe('what a batch must be', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'cpu' });
  });
  const weights = Float32Array.of(0, 1, 1);
  const tokens = Int32Array.of(1, 2, 3);
  it.each<[RegExp, Datum]>([
    [/first token has weight 1/, { tokens, weights: Float32Array.of(1, 1, 1) }],
    [/`weights` has 2 entries for 3 tokens/, { tokens, weights: Float32Array.of(0, 1) }],
    [/token id 99 at 1, outside the vocabulary of 13/, { tokens: Int32Array.of(1, 99, 3), weights }],
    [/has 1 tokens; at least 2/, { tokens: Int32Array.of(1), weights: Float32Array.of(0) }],
    [/has 65 tokens, the model holds 64/, { tokens: new Int32Array(65), weights: new Float32Array(65) }],
    [/needs the per-token stream `advantages`/, { tokens, weights }],
  ])('says %s', async (message, datum) => {
    await expect(open().engine.forwardBackward([datum], policyGradient)).rejects.toThrow(message);
  });

  it('says that a stream is missing in some of the data', async () => {
    const data = [
      { tokens, weights, advantages: weights },
      { tokens, weights },
    ];
    await expect(open().engine.forwardBackward(data, policyGradient)).rejects.toThrow(
      /Only some of the data have `advantages`/,
    );
  });

  it('scales a gradient down to maxGradNorm', async () => {
    const { engine } = open();
    await engine.forwardBackward(batchOf('dapo'), policyGradient);
    const { gradNorm } = await engine.optimStep({ learningRate: 0, maxGradNorm: 0.01 });
    expect(gradNorm).toBeGreaterThan(0.01);
    // After one step the first moments are (1 − β₁) times the gradient that was used.
    const moments = [...(await engine.save()).firstMoments.values()].flatMap(({ data }) => [...data]);
    expect(Math.hypot(...moments)).toBeCloseTo(0.1 * 0.01, 8);
  });

  it('does nothing for a batch without a single trained token', async () => {
    const { engine } = open();
    const { loss } = await engine.forwardBackward([{ tokens, weights: new Float32Array(3) }], policyGradient);
    expect(loss).toBe(0);
    expect(await engine.optimStep({ learningRate: 1 })).toEqual({ gradNorm: 0, stepped: false });
  });
});

describe('learning rate', () => {
  const rates = (lrSchedulerType: 'constant' | 'cosine'): number[] =>
    Array.from({ length: 10 }, (_, step) =>
      learningRateAt(step, 10, { learningRate: 1, lrSchedulerType, warmupSteps: 2 }),
    );

  it('warms up, then stays or falls along a cosine', () => {
    expect(rates('constant')).toEqual([0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    // ½ (1 + cos(π k / 8)) for k = 0 … 7, after two steps of warm-up.
    const golden = [0.5, 1, 1, 0.9619398, 0.8535534, 0.6913417, 0.5, 0.3086583, 0.1464466, 0.0380602];
    rates('cosine').forEach((rate, step) => expect(rate).toBeCloseTo(golden[step] as number, 6));
  });
});
