/** Losses of whole sequences through an engine that only knows tokens. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLocalEngine,
  type CustomLoss,
  type CustomLossSequence,
  type Datum,
  forwardBackwardCustom,
} from 'posttrain/engine';
import { microStep } from 'posttrain/engine/micro-step';
import { dpoLoss, sequenceSums } from 'posttrain/losses';
import { disposeModel, selectTokens, sequenceLogprobs } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { withEngine } from '../trainers/runs.js';
import { bits, tinyModel } from './tiny.js';

/** Two chosen replies, then the two they are preferred to; of different lengths, so that a small budget parts the pairs. */
const batch: CustomLossSequence[] = [
  { tokens: Int32Array.of(3, 6, 7, 8, 1), mask: [0, 0, 1, 1, 1] },
  { tokens: Int32Array.of(3, 9, 1), mask: [0, 0, 1] },
  { tokens: Int32Array.of(3, 6, 9, 1), mask: [0, 0, 1, 1] },
  { tokens: Int32Array.of(3, 9, 10, 11, 5, 1), mask: [0, 0, 1, 1, 1, 1] },
];
const pairLoss: CustomLoss = (logprobs, sequences) => {
  const logps = sequenceSums(logprobs, tf.onesLike(logprobs), sequences);
  const pairs = {
    chosenLogprobs: tf.slice(logps, [0], [2]),
    rejectedLogprobs: tf.slice(logps, [2], [2]),
    refChosenLogprobs: tf.tensor1d([-9, -3]),
    refRejectedLogprobs: tf.tensor1d([-6, -13]),
    weights: tf.tensor1d([0.5, 0.5]),
  };
  return dpoLoss(pairs, { beta: 0.5, lossType: 'sigmoid', labelSmoothing: 0 });
};

describe.each(['cpu', 'wasm'] as const)('a custom loss on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('has the gradient of differentiating through the whole batch at once', async () => {
    const model = tinyModel();
    const engine = createLocalEngine(model);
    const { loss, data } = await forwardBackwardCustom(engine, batch, pairLoss);
    const token = microStep(model, data, { name: 'cross_entropy' }, 1);
    const selection = selectTokens(batch);
    const whole = tf.variableGrads(() => {
      const { logprobs } = sequenceLogprobs(model, batch, { selection });
      return pairLoss(logprobs, { ids: tf.tensor1d(selection.rows, 'int32'), count: batch.length });
    }, [...model.weights.values()]);
    expect(loss).toBeCloseTo(whole.value.dataSync()[0] as number, 6);
    for (const [name, gradient] of token.gradients) {
      const expected = (
        whole.grads[(model.weights.get(name) as tf.Variable).name] as tf.Tensor
      ).dataSync<'float32'>();
      const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
      gradient.dataSync().forEach((value, n) => {
        expect(Math.abs(value - (expected[n] as number)) / scale, name).toBeLessThan(1e-4);
      });
    }
    tf.dispose([whole.value, ...Object.values(whole.grads), ...token.gradients.values(), token.report]);
    engine.dispose();
    disposeModel(model);
  });

  it('takes the same step however the batch is cut', async () => {
    const weights = await Promise.all(
      [8, 4096].map(async (microBatchTokens) => {
        const model = tinyModel();
        const engine = createLocalEngine(model, { microBatchTokens });
        await forwardBackwardCustom(engine, batch, pairLoss);
        const { gradNorm } = await engine.optimStep({ learningRate: 1e-3 });
        engine.dispose();
        disposeModel(model);
        return gradNorm;
      }),
    );
    expect(weights[0]).toBeGreaterThan(0.1);
    expect(weights[0]).toBeCloseTo(weights[1] as number, 4);
  });

  it('needs negative weights: the rejected reply becomes less likely, the chosen one more', () =>
    withEngine(async (engine) => {
      const { data, logprobs } = await forwardBackwardCustom(engine, batch, pairLoss);
      const signs = data.map(({ weights }) => [
        ...new Set(weights.filter((weight) => weight !== 0).map(Math.sign)),
      ]);
      expect(signs).toEqual([[1], [1], [-1], [-1]]);
      await engine.optimStep({ learningRate: 1e-3 });
      const after = await engine.logprobs(batch);
      const sum = (streams: readonly Float32Array[], from: number): number =>
        streams.slice(from, from + 2).reduce((total, stream) => total + stream.reduce((a, b) => a + b, 0), 0);
      const margin = (streams: readonly Float32Array[]): number => sum(streams, 0) - sum(streams, 2);
      expect(margin(after)).toBeGreaterThan(margin(logprobs) + 0.01);
    }));

  it('reports the log-probability of every masked token, also of those without a gradient', () =>
    withEngine(async (engine) => {
      const firstOnly: CustomLoss = (logprobs) => tf.neg(tf.sum(tf.slice(logprobs, [0], [3]))) as tf.Scalar;
      const result = await forwardBackwardCustom(engine, batch, firstOnly);
      expect(result.data.slice(1).every(({ weights }) => weights.every((weight) => weight === 0))).toBe(true);
      result.logprobs.forEach((stream, row) =>
        expect(Array.from(stream, (value) => Number(value !== 0))).toEqual(batch[row]?.mask),
      );
      expect(result.loss).toBeCloseTo(-(result.logprobs[0] as Float32Array).reduce((a, b) => a + b, 0), 5);
      expect(result.entropies?.[0]?.[2]).toBeGreaterThan(0);
      expect(result.entropies?.[1]?.[2]).toBe(0);
    }));

  it.each<[string, CustomLoss]>([
    ['NaN', (logprobs) => tf.mul(tf.sum(logprobs), NaN) as tf.Scalar],
    ['infinite, with a finite gradient', (logprobs) => tf.add(tf.sum(logprobs), Infinity) as tf.Scalar],
  ])('that is %s makes the engine refuse the step', (_, loss) =>
    withEngine(async (engine) => {
      const before = bits(await engine.save());
      expect((await forwardBackwardCustom(engine, batch, loss)).loss).not.toSatisfy(Number.isFinite);
      expect((await engine.optimStep({ learningRate: 1 })).stepped).toBe(false);
      expect(bits(await engine.save())).toEqual(before);
    }),
  );

  it('leaks nothing', () =>
    withEngine(async (engine) => {
      await forwardBackwardCustom(engine, batch, pairLoss);
      const before = tf.memory().numTensors;
      await forwardBackwardCustom(engine, batch, pairLoss);
      expect(tf.memory().numTensors).toBe(before);
    }));
});

it('is cross-entropy with the weights −∂L/∂log π, so that any engine can do it', async () => {
  await initBackend({ backend: 'cpu' });
  const asked: (readonly Datum[])[] = [];
  const engine = {
    logprobs: () => Promise.resolve([Float32Array.of(0, -1, -2), Float32Array.of(0, -3, 0)]),
    forwardBackward: (data: readonly Datum[]) => {
      asked.push(data);
      return Promise.resolve({ loss: 99, logprobs: [], entropies: [], hits: [] });
    },
  };
  const sequences = [
    { tokens: Int32Array.of(3, 6, 7), mask: [0, 1, 1] },
    { tokens: Int32Array.of(3, 6, 7), mask: [0, 1, 0] },
  ];
  const squares: CustomLoss = (logprobs) => tf.sum(tf.square(logprobs)) as tf.Scalar;
  const result = await forwardBackwardCustom(engine, sequences, squares);
  expect(result.loss).toBe(14);
  expect(asked[0]?.map(({ weights }) => [...weights])).toEqual([
    [0, 2, 4],
    [0, 6, 0],
  ]);
});
