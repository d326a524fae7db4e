/** What every engine promises, wherever it computes. Numbers are compared with those of a local engine with the same weights. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLocalEngine,
  type CustomLossSequence,
  type Datum,
  type Engine,
  forwardBackwardCustom,
  type OptimParams,
} from 'posttrain/engine';
import { type LossSpec, tokenWeights } from 'posttrain/losses';
import { disposeModel, sampleKeys } from 'posttrain/model';
import * as tf from '@tensorflow/tfjs-core';
import { initBackend, randomStream } from 'posttrain/tensor';
import { tinyConfig, tinyModel } from './tiny.js';

/** An engine of `tinyModel()` for as long as `use` takes. */
export type Use = <R>(use: (engine: Engine) => Promise<R>) => Promise<R>;

export const locally: Use = async (use) => {
  const model = tinyModel();
  const engine = createLocalEngine(model);
  try {
    return await use(engine);
  } finally {
    engine.dispose();
    disposeModel(model);
  }
};

const clip = { epsilon: 0.2, epsilonHigh: 0.28, delta: null, beta: 0 };
const losses: readonly (readonly [string, LossSpec])[] = [
  ['cross_entropy', { name: 'cross_entropy' }],
  ['the clipped surrogate', { name: 'policy_gradient', ...clip }],
  ['plain importance sampling', { name: 'policy_gradient', ...clip, epsilon: 1, epsilonHigh: Infinity }],
  ['a dual clip', { name: 'policy_gradient', ...clip, delta: 1.5 }],
  ['a pull to the reference', { name: 'policy_gradient', ...clip, beta: 0.1 }],
  ['ratios of sequences', { name: 'sequence_ratio', ...clip }],
  ['cispo', { name: 'cispo', maxRatio: 1.1, beta: 0 }],
];

/** Six ragged sequences with all streams, near enough to the policy that some ratios are clipped and some are not. */
async function batchOf(engine: Engine): Promise<Datum[]> {
  const random = randomStream(5, 'contract');
  const lengths = [5, 9, 3, 12, 2, 7];
  const weights = tokenWeights(
    lengths.map((length) => Uint8Array.from({ length }, (_, t) => (t >= length / 2 ? 1 : 0))),
    'grpo',
    0,
  );
  const sequences = lengths.map((length, row) => ({
    tokens: Int32Array.from({ length }, () => random.int(tinyConfig.vocabSize)),
    mask: weights[row] as Float32Array,
  }));
  const logprobs = await engine.logprobs(sequences);
  return sequences.map(({ tokens, mask }, row) => {
    const near = (scale: number): Float32Array =>
      mask.map((weight, t) => (weight === 0 ? 0 : (logprobs[row]?.[t] as number) + scale * random.normal()));
    const advantages = new Float32Array(tokens.length).fill(random.normal());
    return { tokens, weights: mask, advantages, oldLogprobs: near(0.3), refLogprobs: near(0.5) };
  });
}

const params: OptimParams = { learningRate: 1e-2, weightDecay: 0.1 };
const sequencesOf = (batch: readonly Datum[]): CustomLossSequence[] =>
  batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));

const closeTo = (streams: readonly Float32Array[], expected: readonly Float32Array[]): void => {
  expect(streams.map((stream) => stream.length)).toEqual(expected.map((stream) => stream.length));
  streams.forEach((stream, row) =>
    stream.forEach((value, t) =>
      expect(Math.abs(value - (expected[row]?.[t] as number)), `row ${row}, token ${t}`).toBeLessThan(1e-5),
    ),
  );
};

export function engineContract(name: string, withEngine: Use): void {
  describe(`contract of engines: ${name}`, () => {
    beforeAll(async () => {
      await initBackend({ backend: 'cpu' });
    });

    it.each(losses)('has the loss, the gradient and the steps of a local engine: %s', async (_, spec) => {
      const run = async (engine: Engine) => {
        const batch = await batchOf(engine);
        const values: number[] = [];
        for (let step = 0; step < 3; step += 1) {
          const first = await engine.forwardBackward(batch.slice(0, 2), spec);
          const second = await engine.forwardBackward(batch.slice(2), spec);
          const { gradNorm, stepped } = await engine.optimStep(params);
          expect(stepped).toBe(true);
          values.push(first.loss, second.loss, gradNorm as number);
        }
        return { values, after: await engine.logprobs(sequencesOf(batch)), version: engine.policyVersion };
      };
      const [here, there] = [await locally(run), await withEngine(run)];
      expect(here.values[2]).toBeGreaterThan(1e-3);
      here.values.forEach((value, n) =>
        expect(Math.abs((there.values[n] as number) - value)).toBeLessThan(1e-5),
      );
      closeTo(there.after, here.after);
      expect(there.version).toBe(3);
    });

    it('takes the ratio for 1 where there are no old log-probabilities, in every loss of a policy', async () => {
      for (const [, spec] of losses.slice(1)) {
        const run = async (engine: Engine) => {
          const batch = (await batchOf(engine)).map(({ tokens, weights, advantages, refLogprobs }) => ({
            tokens,
            weights,
            ...(advantages && { advantages }),
            ...(refLogprobs && { refLogprobs }),
          }));
          const { loss } = await engine.forwardBackward(batch, spec);
          await engine.optimStep(params);
          return { loss, after: await engine.logprobs(sequencesOf(batch)) };
        };
        const [here, there] = [await locally(run), await withEngine(run)];
        expect(Math.abs(there.loss - here.loss)).toBeLessThan(1e-5);
        closeTo(there.after, here.after);
      }
    });

    it('takes custom losses', async () => {
      const run = (engine: Engine) =>
        batchOf(engine).then(async (batch) => {
          const squares = (logprobs: tf.Tensor): tf.Scalar => tf.sum(tf.square(logprobs)) as tf.Scalar;
          const { loss } = await forwardBackwardCustom(engine, sequencesOf(batch), squares);
          await engine.optimStep(params);
          return { loss, after: await engine.logprobs(sequencesOf(batch)) };
        });
      const [here, there] = [await locally(run), await withEngine(run)];
      expect(there.loss).toBeCloseTo(here.loss, 4);
      closeTo(there.after, here.after);
    });

    it('leaves the weights alone when all advantages are 0, or no token is trained', () =>
      withEngine(async (engine) => {
        const batch = await batchOf(engine);
        const before = await engine.logprobs(sequencesOf(batch));
        const neutral = batch.map((datum) => ({
          ...datum,
          advantages: new Float32Array(datum.tokens.length),
        }));
        const { loss } = await engine.forwardBackward(neutral, losses[1]![1]);
        await engine.optimStep({ learningRate: 1e-2 });
        expect(loss).toBeCloseTo(0, 12);
        expect(await engine.logprobs(sequencesOf(batch))).toEqual(before);
        const untrained = batch.map((datum) => ({
          ...datum,
          weights: new Float32Array(datum.tokens.length),
        }));
        expect((await engine.forwardBackward(untrained, losses[1]![1])).loss).toBe(0);
        expect(await engine.optimStep({ learningRate: 1 })).toEqual({ gradNorm: 0, stepped: false });
      }));

    it('refuses a step whose loss is not finite, and changes nothing', () =>
      withEngine(async (engine) => {
        const batch = await batchOf(engine);
        const before = await engine.logprobs(sequencesOf(batch));
        const poisoned = batch.map((datum, row) =>
          row === 3 ? { ...datum, advantages: new Float32Array(datum.tokens.length).fill(Infinity) } : datum,
        );
        const { loss } = await engine.forwardBackward(poisoned, losses[1]![1]);
        expect(loss).not.toSatisfy(Number.isFinite);
        expect((await engine.optimStep(params)).stepped).toBe(false);
        const infinite = (logprobs: tf.Tensor): tf.Scalar => tf.mul(tf.sum(logprobs), NaN) as tf.Scalar;
        await forwardBackwardCustom(engine, sequencesOf(batch), infinite);
        expect((await engine.optimStep(params)).stepped).toBe(false);
        expect(engine.policyVersion).toBe(0);
        expect(await engine.logprobs(sequencesOf(batch))).toEqual(before);
        await engine.forwardBackward(batch, losses[1]![1]);
        expect((await engine.optimStep(params)).stepped).toBe(true);
      }));

    it('goes on from a saved state as if nothing had been', () =>
      withEngine(async (engine) => {
        const batch = await batchOf(engine);
        const step = async (): Promise<Float32Array[]> => {
          await engine.forwardBackward(batch, losses[1]![1]);
          await engine.optimStep(params);
          return engine.logprobs(sequencesOf(batch));
        };
        await step();
        const state = await engine.save();
        const [second, third] = [await step(), await step()];
        await engine.load(state);
        expect(engine.policyVersion).toBe(1);
        expect(await step()).toEqual(second);
        expect(await step()).toEqual(third);
        expect(await step()).not.toEqual(third);
      }));

    it('samples the policy that it is, with the log-probabilities that it trains with', () =>
      withEngine(async (engine) => {
        const prompts = [Int32Array.of(3, 6, 7), Int32Array.of(4), Int32Array.of(3, 6, 7)];
        const settings = { maxNewTokens: 6, stopTokens: [1], temperature: 1 };
        const sample = () => engine.sample(prompts, settings, sampleKeys(3, 11, 'contract'));
        const replies = await sample();
        expect(await sample()).toEqual(replies);
        expect(replies[0]).not.toEqual(replies[2]);
        const sequences = replies.map(({ tokens }, n) => {
          const prompt = prompts[n] as Int32Array;
          return {
            tokens: Int32Array.of(...prompt, ...tokens),
            mask: [...prompt.map(() => 0), ...tokens.map(() => 1)],
          };
        });
        const scored = await engine.logprobs(sequences);
        closeTo(
          replies.map(({ logprobs }) => logprobs),
          scored.map((stream, n) => stream.slice(prompts[n]?.length)),
        );
        replies.forEach(({ tokens, finishReason }) =>
          expect(finishReason).toBe(tokens.at(-1) === 1 ? 'stop' : 'length'),
        );
        await engine.forwardBackward(await batchOf(engine), { name: 'cross_entropy' });
        await engine.optimStep({ learningRate: 0.1 });
        expect(await sample()).not.toEqual(replies);
      }));

    it('holds a reference that does not move', () =>
      withEngine(async (engine) => {
        const batch = await batchOf(engine);
        const before = await engine.logprobs(sequencesOf(batch));
        const reference = await engine.reference();
        await engine.forwardBackward(batch, losses[1]![1]);
        await engine.optimStep(params);
        closeTo(await reference.logprobs(sequencesOf(batch)), before);
        expect(await engine.logprobs(sequencesOf(batch))).not.toEqual(before);
        reference.dispose();
      }));

    it.each<[RegExp, Datum, LossSpec]>([
      [
        /first token has weight 1/,
        { tokens: Int32Array.of(1, 2), weights: Float32Array.of(1, 1) },
        losses[0]![1],
      ],
      [
        /`weights` has 1 entries for 2 tokens/,
        { tokens: Int32Array.of(1, 2), weights: Float32Array.of(0) },
        losses[0]![1],
      ],
      [
        /has 65 tokens, the model holds 64/,
        { tokens: new Int32Array(65), weights: new Float32Array(65) },
        losses[0]![1],
      ],
      [
        /needs the per-token stream `advantages`/,
        { tokens: Int32Array.of(1, 2), weights: Float32Array.of(0, 1) },
        losses[1]![1],
      ],
    ])('says %s, and goes on', (message, datum, spec) =>
      withEngine(async (engine) => {
        await expect(engine.forwardBackward([datum], spec)).rejects.toThrow(message);
        const batch = await batchOf(engine);
        expect((await engine.forwardBackward(batch, spec)).loss).toSatisfy(Number.isFinite);
      }),
    );
  });
}
