import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createScalarEngine, type ScalarDatum, type ScalarEngine } from 'posttrain/engine';
import { bradleyTerryLoss, type ScalarLossSpec, valueLoss } from 'posttrain/losses';
import { addAdapter, createModel, disposeModel, type Model, selectedValues } from 'posttrain/model';
import { initBackend, randomStream } from 'posttrain/tensor';
import { testedBackends } from '../tensor/backends.js';
import { closedAfterEach } from './opened.js';
import { bits, tinyConfig, tinyModel } from './tiny.js';

const clipped: ScalarLossSpec = { name: 'value', cliprangeValue: 0.2 };
const pairs: ScalarLossSpec = { name: 'bradley_terry', centerRewardsCoefficient: 0.05 };
const lengths = [5, 9, 3, 12, 7, 2, 9, 6];
const random = randomStream(3, 'scalar batch');
const tokens = lengths.map((length) => Int32Array.from({ length }, () => random.int(tinyConfig.vocabSize)));

/** Eight ragged sequences, as steps of a critic. */
const steps = tokens.map((row, n): ScalarDatum => {
  const stream = (): Float32Array => Float32Array.from(row, () => random.normal());
  const weights = Float32Array.from(row, (_, t) => (t >= row.length / 2 ? (1 + (n % 3)) / 30 : 0));
  return { tokens: row, weights, oldValues: stream(), returns: stream() };
});
/** … and as pairs, the third of which does not count. */
const replies = tokens.map((row, n): ScalarDatum => {
  const weights = new Float32Array(row.length);
  weights[row.length - 1] = n >> 1 === 2 ? 0 : 0.25;
  return { tokens: row, weights };
});
const batches: readonly (readonly [ScalarLossSpec['name'], ScalarLossSpec, readonly ScalarDatum[]])[] = [
  ['value', clipped, steps],
  ['bradley_terry', pairs, replies],
];

/** Random weights, head included, so that no gradient is 0. */
const scalarModel = (seed = 7): Model => createModel({ ...tinyConfig, numLabels: 1 }, seed);

const { keep, closeAll } = closedAfterEach();
function open(microBatchTokens?: number, seed?: number): { engine: ScalarEngine; model: Model } {
  const model = scalarModel(seed);
  const engine = createScalarEngine(model, microBatchTokens === undefined ? {} : { microBatchTokens });
  return keep({ engine, model });
}

describe.each(testedBackends)('scalar engine on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it.each(batches)(
    'gives the same %s loss and gradient, however the batch is cut',
    async (_, loss, batch) => {
      const results = [];
      // All at once; parts by token budget; one datum or pair at a time; and in two calls.
      for (const budget of [1000, 30, 1]) {
        const { engine } = open(budget);
        const result = await engine.forwardBackward(batch, loss);
        const { gradNorm } = await engine.optimStep({ learningRate: 1e-2 });
        results.push({ ...result, gradNorm, state: await engine.save() });
      }
      const { engine } = open();
      const first = await engine.forwardBackward(batch.slice(0, 2), loss);
      const second = await engine.forwardBackward(batch.slice(2), loss);
      const { gradNorm } = await engine.optimStep({ learningRate: 1e-2 });
      const values = [...first.values, ...second.values];
      results.push({ loss: first.loss + second.loss, values, gradNorm, state: await engine.save() });

      const [whole, ...others] = results;
      expect(whole?.gradNorm).toBeGreaterThan(1e-3);
      for (const other of others) {
        expect(Math.abs(other.loss - (whole?.loss as number))).toBeLessThan(1e-6);
        expect(Math.abs((other.gradNorm as number) - (whole?.gradNorm as number))).toBeLessThan(1e-5);
        other.values.forEach((stream, row) =>
          stream.forEach((value, t) => expect(value).toBeCloseTo(whole?.values[row]?.[t] as number, 5)),
        );
        for (const [name, { data }] of other.state.firstMoments) {
          const expected = whole?.state.firstMoments.get(name)?.data as Float32Array;
          data.forEach((value, i) => expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-6));
        }
      }
    },
  );

  it('differentiates the losses of values and of pairs', async () => {
    const { engine, model } = open();
    const flat = (name: 'weights' | 'oldValues' | 'returns'): tf.Tensor =>
      tf.tensor1d(
        steps.flatMap((datum) => [...(datum[name] as Float32Array)].filter((_, t) => datum.weights[t] !== 0)),
      );
    const counted = replies.filter(({ weights }) => weights.some(Boolean));
    const both = (data: readonly ScalarDatum[]): tf.Tensor =>
      selectedValues(
        model,
        data.map(({ tokens, weights }) => ({ tokens, mask: weights })),
      );
    const direct: Record<string, () => tf.Scalar> = {
      value: () =>
        valueLoss(
          {
            values: both(steps),
            oldValues: flat('oldValues'),
            returns: flat('returns'),
            weights: flat('weights'),
          },
          0.2,
        ),
      bradley_terry: () =>
        bradleyTerryLoss(
          {
            chosenRewards: both(counted.filter((_, n) => n % 2 === 0)),
            rejectedRewards: both(counted.filter((_, n) => n % 2 === 1)),
            weights: tf.fill([3], 0.25),
          },
          0.05,
        ),
    };
    for (const [name, loss, batch] of batches) {
      const result = await engine.forwardBackward(batch, loss);
      await engine.optimStep({ learningRate: 0, maxGradNorm: 1e9, adamBeta1: 0 });
      const { firstMoments } = await engine.save();
      const { value, grads } = tf.variableGrads(direct[name] as () => tf.Scalar, [...model.weights.values()]);
      expect(result.loss).toBeCloseTo((await value.data())[0] as number, 5);
      for (const [weightName, weight] of model.weights) {
        const expected = await (grads[weight.name] as tf.Tensor).data();
        firstMoments
          .get(weightName)
          ?.data.forEach((gradient, i) =>
            expect(Math.abs(gradient - (expected[i] as number)), weightName).toBeLessThan(1e-5),
          );
      }
      tf.dispose([value, ...Object.values(grads)]);
    }
  });

  it('says the same when it trains as when it is asked; the score is the value after the last token', async () => {
    const { engine } = open(20);
    const { values } = await engine.forwardBackward(steps, clipped);
    const asked = await engine.values(steps.map(({ tokens, weights }) => ({ tokens, mask: weights })));
    const scores = await engine.scores(tokens);
    values.forEach((stream, row) => {
      stream.forEach((value, t) => {
        expect(Math.abs(value - (asked[row]?.[t] as number))).toBeLessThan(1e-5);
        if (steps[row]?.weights[t] === 0) expect(value).toBe(0);
      });
      expect(scores[row]).toBeCloseTo(stream.at(-1) as number, 5);
    });
    expect(new Set(scores).size).toBe(8);
  });

  it('leaves the weights alone, bit for bit, when the loss is not finite or nothing counts', async () => {
    const { engine } = open();
    const before = bits(await engine.save());
    const returns = (value: number) =>
      steps.map((datum) => ({ ...datum, returns: new Float32Array(datum.tokens.length).fill(value) }));
    const { loss } = await engine.forwardBackward(returns(Infinity), clipped);
    expect(Number.isFinite(loss)).toBe(false);
    expect(await engine.optimStep({ learningRate: 1e-2 })).toMatchObject({ stepped: false });
    // one bad batch spoils the step, and only that one
    await engine.forwardBackward(returns(NaN), clipped);
    await engine.forwardBackward(steps, clipped);
    expect(await engine.optimStep({ learningRate: 1e-2 })).toMatchObject({ stepped: false });
    const masked = steps.map((datum) => ({ ...datum, weights: new Float32Array(datum.tokens.length) }));
    expect((await engine.forwardBackward(masked, clipped)).loss).toBe(0);
    expect(await engine.optimStep({ learningRate: 1 })).toEqual({ gradNorm: 0, stepped: false });
    expect(bits(await engine.save())).toEqual(before);
    await engine.forwardBackward(steps, clipped);
    expect(await engine.optimStep({ learningRate: 1e-2 })).toMatchObject({ stepped: true });
  });

  it('goes on bit-identically from a saved state', async () => {
    const step = async (engine: ScalarEngine): Promise<void> => {
      await engine.forwardBackward(replies, pairs);
      await engine.optimStep({ learningRate: 1e-2 });
    };
    const { engine: straight } = open();
    for (let n = 0; n < 4; n += 1) await step(straight);
    const { engine: stopped } = open();
    for (let n = 0; n < 2; n += 1) await step(stopped);
    const { engine: resumed } = open(undefined, 99);
    await resumed.load(await stopped.save());
    for (let n = 0; n < 2; n += 1) await step(resumed);
    expect(await resumed.save()).toEqual(await straight.save());
  });

  it('keeps the number of tensors constant, and frees what it took', async () => {
    const before = tf.memory().numTensors;
    const { engine } = open(20);
    const step = async (): Promise<number> => {
      for (const [, loss, batch] of batches) await engine.forwardBackward(batch, loss);
      await engine.optimStep({ learningRate: 1e-2 });
      await engine.scores(tokens);
      await engine.forwardBackward(steps, clipped);
      await engine.load(await engine.save());
      return tf.memory().numTensors;
    };
    const first = await step();
    expect(await step()).toBe(first);
    closeAll();
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('what a scalar engine must be given', () => {
  beforeAll(async () => {
    await initBackend({ backend: 'cpu' });
  });
  const one = Float32Array.of(0, 0, 1);
  const row = Int32Array.of(1, 2, 3);
  it.each<[RegExp, ScalarDatum[], ScalarLossSpec]>([
    [/needs the per-token stream `returns`/, [{ tokens: row, weights: one }], clipped],
    [
      /value with cliprangeValue needs the per-token stream `oldValues`/,
      [{ tokens: row, weights: one, returns: one }],
      clipped,
    ],
    [/Sequence 0 has no tokens/, [{ tokens: new Int32Array(0), weights: new Float32Array(0) }], clipped],
    [/has 65 tokens, the model holds 64/, [{ tokens: new Int32Array(65), weights: one }], clipped],
    [/`weights` has 3 entries for 2 tokens/, [{ tokens: Int32Array.of(1, 2), weights: one }], clipped],
    [/needs pairs, the preferred datum first; got 1 data/, [{ tokens: row, weights: one }], pairs],
    [
      /Datum 0 has the weights 1, 1; bradley_terry needs one token/,
      [
        { tokens: row, weights: Float32Array.of(0, 1, 1) },
        { tokens: row, weights: one },
      ],
      pairs,
    ],
    [
      /Datum 0 has the weights 0; .* the same weight in both/,
      [
        { tokens: row, weights: new Float32Array(3) },
        { tokens: row, weights: one },
      ],
      pairs,
    ],
  ])('says %s', async (message, batch, loss) => {
    await expect(open().engine.forwardBackward(batch, loss)).rejects.toThrow(message);
  });

  it('is a model with a scalar head and without an adapter', () => {
    const [language, scalar] = [tinyModel(), scalarModel()];
    expect(() => createScalarEngine(language)).toThrow(/make one from a language model \(withScalarHead\)/);
    const adapted = addAdapter(scalar, { r: 2, seed: 1 });
    expect(() => createScalarEngine(adapted)).toThrow(/merge it first/);
    [language, adapted].forEach(disposeModel);
  });

  it('reads no old values without a clip range', async () => {
    const { engine } = open();
    const { loss, values } = await engine.forwardBackward([{ tokens: row, weights: one, returns: one }], {
      name: 'value',
      cliprangeValue: null,
    });
    expect(loss).toBeCloseTo(0.5 * ((values[0]?.[2] as number) - 1) ** 2, 5);
  });
});
