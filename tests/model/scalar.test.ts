/** Models with a scalar head: equality with Hugging Face's `…ForSequenceClassification`, and how they are made and kept. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addAdapter,
  configFromJSON,
  configToJSON,
  disposeModel,
  forward,
  generate,
  mergeAdapter,
  type Model,
  parseSafetensors,
  scoreValues,
  weight,
  withScalarHead,
} from 'posttrain/model';
import { loadModel, saveModel } from 'posttrain/model/checkpoint.node';
import { initBackend } from 'posttrain/tensor';
import { startTestBackend, testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { fixturePath, maxDifference } from './fixture.js';

const load = async (name: string): Promise<Model> => (await loadModel(fixturePath(name))).model;
const { tensors, metadata } = parseSafetensors(
  readFileSync(fixturePath('llama-score/reference.safetensors')),
);
const sequences = JSON.parse(metadata['sequences'] as string) as number[][];
const all = sequences.map((tokens) => ({ tokens, mask: tokens.map(() => 1) }));
const configJSON = readFileSync(fixturePath('llama-score/config.json'), 'utf8');

describe.each(testedBackends)('a scalar head on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  it('gives the scores of transformers within 1e-4, alone, padded, and where they are asked for', async () => {
    const model = await load('llama-score');
    for (const microBatch of [1, 3])
      (await scoreValues(model, all, { microBatch })).forEach((values, i) =>
        expect(maxDifference(values, tensors.get(`values.${i}`)!.data)).toBeLessThan(1e-4),
      );
    const some = all.map(({ tokens }) => ({ tokens, mask: tokens.map((_, t) => t % 2) }));
    (await scoreValues(model, some)).forEach((values, i) => {
      const expected = tensors.get(`values.${i}`)!.data.map((value, t) => (t % 2 ? value : 0));
      expect(maxDifference(values, expected)).toBeLessThan(1e-4);
    });
    disposeModel(model);
  });

  it('keeps the layers of the language model it is made from, starts at 0, and frees what it takes', async () => {
    for (const name of ['llama-tied-gqa', 'llama-untied']) {
      const language = await load(name);
      const before = tf.memory().numTensors;
      const model = withScalarHead(language);
      const ids = tf.tensor2d([sequences[0] as number[]], undefined, 'int32');
      const hidden = await valuesOf(() => forward(model, ids));
      expect(maxDifference(hidden, await valuesOf(() => forward(language, ids)))).toBe(0);
      expect((await scoreValues(model, all)).flatMap((values) => [...values]).every((v) => v === 0)).toBe(
        true,
      );
      expect(() => withScalarHead(model)).toThrow(/has a scalar head already/);
      [ids, ...model.weights.values()].forEach((tensor) => tensor.dispose());
      expect(tf.memory().numTensors).toBe(before);
      disposeModel(language);
    }
  });
});

describe('a model with a scalar head', () => {
  beforeAll(startTestBackend);

  it('made from one with an adapter has it merged', async () => {
    const base = await load('llama-tied-gqa');
    const adapted = addAdapter(base, { r: 2, loraAlpha: 4, seed: 1 });
    for (const [name, variable] of adapted.adapter?.weights ?? [])
      if (name.includes('lora_B')) tf.tidy(() => variable.assign(tf.fill(variable.shape, 0.1)));
    const [model, merged] = [withScalarHead(adapted), mergeAdapter(adapted)];
    const name = 'model.layers.1.mlp.up_proj.weight';
    expect(model.adapter).toBeUndefined();
    expect(weight(model, name).dataSync()).toEqual(weight(merged, name).dataSync());
    expect(weight(model, name).dataSync()).not.toEqual(weight(base, name).dataSync());
    [model, merged, adapted].forEach(disposeModel);
  });

  it('is written as transformers writes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scalar-'));
    const model = await load('llama-score');
    expect(model.config.numLabels).toBe(1);
    await saveModel(folder, model);
    const file = (at: string, name: string): Buffer => readFileSync(join(at, name));
    const weights = [folder, fixturePath('llama-score')].map((at) => file(at, 'model.safetensors'));
    expect(Buffer.compare(weights[0] as Buffer, weights[1] as Buffer)).toBe(0);
    const fields = (json: string): object => {
      const { architectures, id2label, label2id, hidden_size } = JSON.parse(json) as Record<string, unknown>;
      return { architectures, id2label, label2id, hidden_size };
    };
    const written = file(folder, 'config.json').toString();
    expect(fields(written)).toEqual(fields(configJSON));
    expect(JSON.parse(written)).toMatchObject({ num_labels: 1 });
    expect(configFromJSON(configToJSON(model.config))).toEqual(model.config);
    disposeModel(model);
    rmSync(folder, { recursive: true });
  });

  it('has exactly one label', () => {
    const config = JSON.parse(configJSON) as Record<string, unknown>;
    const { id2label, ...unnamed } = config;
    expect(id2label).toEqual({ 0: 'LABEL_0' });
    expect(configFromJSON(JSON.stringify({ ...unnamed, num_labels: 1 })).numLabels).toBe(1);
    for (const labels of [{}, { num_labels: 3 }, { id2label: { 0: 'bad', 1: 'good' } }])
      expect(() => configFromJSON(JSON.stringify({ ...unnamed, ...labels }))).toThrow(
        /num_labels: [23] labels make a classifier/,
      );
  });

  it('writes no text', async () => {
    const model = await load('llama-score');
    const key = { seed: 1, purpose: 'test', step: 0, index: 0 };
    await expect(
      generate(model, [Int32Array.of(3)], { maxNewTokens: 1, stopTokens: [], temperature: 1 }, [key]),
    ).rejects.toThrow(/has a scalar head and predicts no tokens/);
    disposeModel(model);
  });
});
