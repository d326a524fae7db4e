/** Engines on a model with an adapter: it alone is trained, saved and copied. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Datum, type Engine } from 'posttrain/engine';
import { readCheckpoint, writeCheckpoint } from 'posttrain/engine/checkpoint.node';
import { addAdapter, disposeModel, type Model, scoreSequences } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { closedAfterEach } from './opened.js';
import { bits, tinyModel } from './tiny.js';

const batch: Datum[] = [5, 9, 3, 12].map((length, row) => ({
  tokens: Int32Array.from({ length }, (_, t) => (t * 7 + row * 5) % 13),
  weights: Float32Array.from({ length }, (_, t) => (t > 0 ? 0.05 : 0)),
}));
const sequences = batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));

async function step(engine: Engine): Promise<number> {
  const { loss } = await engine.forwardBackward(batch, { name: 'cross_entropy' });
  const { stepped } = await engine.optimStep({ learningRate: 1e-2, weightDecay: 0.1 });
  expect(stepped).toBe(true);
  return loss;
}

const { keep } = closedAfterEach();
function open(seed = 1): { engine: Engine; model: Model } {
  const model = addAdapter(tinyModel(), { r: 2, loraAlpha: 4, seed });
  const engine = createLocalEngine(model, { microBatchTokens: 20 });
  return keep({ engine, model });
}

const valuesOf = ({ weights }: Model): unknown =>
  [...weights].map(([name, variable]) => [name, variable.dataSync().slice()]);

describe.each(['cpu', 'wasm'] as const)('an adapter in the local engine on %s', (backend) => {
  beforeAll(async () => {
    await initBackend({ backend });
  });

  it('learns, and the base weights stay as they are, bit for bit', async () => {
    const { engine, model } = open();
    const base = valuesOf(model);
    const losses = [];
    for (let n = 0; n < 5; n += 1) losses.push(await step(engine));
    expect(losses[4]).toBeLessThan(0.95 * (losses[0] as number));
    expect(valuesOf(model)).toEqual(base);
  });

  it('is all that is saved', async () => {
    const { engine, model } = open();
    await step(engine);
    const { weights, firstMoments, secondMoments } = await engine.save();
    const names = [...model.adapter!.weights.keys()];
    expect(names).toHaveLength(2 * 7 * 2);
    for (const section of [weights, firstMoments, secondMoments]) expect([...section.keys()]).toEqual(names);
  });

  it('is switched off in the reference while it changes nothing', async () => {
    const { engine, model } = open();
    const tensors = tf.memory().numTensors;
    const reference = await engine.reference();
    expect(tf.memory().numTensors).toBe(tensors);
    const base = await scoreSequences({ ...model, adapter: undefined }, sequences, { microBatch: 1 });
    expect(await engine.logprobs(sequences)).toEqual(await reference.logprobs(sequences));
    await step(engine);
    const scores = await reference.logprobs(sequences);
    scores.forEach((row, i) =>
      row.forEach((score, t) => expect(Math.abs(score - base[i]![t]!)).toBeLessThan(1e-5)),
    );
    expect(await engine.logprobs(sequences)).not.toEqual(scores);
    reference.dispose();
    // The base weights are still there.
    expect(await engine.logprobs(sequences)).not.toEqual(scores);
  });

  it('is what a later reference copies, and no more', async () => {
    const { engine, model } = open();
    await step(engine);
    const tensors = tf.memory().numTensors;
    const reference = await engine.reference();
    expect(tf.memory().numTensors).toBe(tensors + model.adapter!.weights.size);
    const before = await engine.logprobs(sequences);
    expect(await reference.logprobs(sequences)).toEqual(before);
    await step(engine);
    expect(await reference.logprobs(sequences)).toEqual(before);
    expect(await engine.logprobs(sequences)).not.toEqual(before);
    reference.dispose();
    expect(tf.memory().numTensors).toBe(tensors);
  });

  it('goes on bit-identically from a checkpoint file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'posttrain-'));
    const path = join(folder, 'checkpoint.safetensors');
    const straight = open().engine;
    for (let n = 0; n < 4; n += 1) await step(straight);
    const stopped = open().engine;
    for (let n = 0; n < 2; n += 1) await step(stopped);
    writeCheckpoint(path, { engine: await stopped.save(), trainer: {} });
    const resumed = open(99).engine;
    await resumed.load(readCheckpoint(path).engine);
    for (let n = 0; n < 2; n += 1) await step(resumed);
    expect(bits(await resumed.save())).toEqual(bits(await straight.save()));
    rmSync(folder, { recursive: true });
  });

  it('keeps the number of tensors constant', async () => {
    const { engine } = open();
    await step(engine);
    const tensors = tf.memory().numTensors;
    await step(engine);
    await engine.sample([Int32Array.of(1, 2)], { maxNewTokens: 3, temperature: 1, stopTokens: [] }, [
      { seed: 1, purpose: 'leak', step: 0, index: 0 },
    ]);
    (await engine.reference()).dispose();
    await engine.load(await engine.save());
    expect(tf.memory().numTensors).toBe(tensors);
  });
});

it('a checkpoint of an adapter and one of a whole model are not mixed up', async () => {
  await initBackend({ backend: 'cpu' });
  const adapted = open().engine;
  const model = tinyModel();
  const whole = createLocalEngine(model);
  const message =
    /which is not trained here. Was it saved from a model with the same adapter, or without one/;
  await expect(whole.load(await adapted.save())).rejects.toThrow(message);
  await expect(adapted.load(await whole.save())).rejects.toThrow(message);
  whole.dispose();
  disposeModel(model);
});
