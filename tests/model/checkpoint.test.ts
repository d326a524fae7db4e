import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import {
  createModel,
  parseSafetensors,
  presets,
  serializeSafetensors,
  weight,
  type NamedTensor,
} from 'posttrain/model';
import { loadModel, saveModel } from 'posttrain/model/checkpoint.node';
import { initBackend } from 'posttrain/tensor';
import { chatTokens, trainBpe } from 'posttrain/text';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { families, fixturePath } from './fixture.js';

const tokenizer = trainBpe(['a b'], { vocabSize: 261, specialTokens: chatTokens });
const config = {
  ...presets.nano(tokenizer.vocabSize),
  hiddenSize: 8,
  intermediateSize: 12,
  numHiddenLayers: 1,
};

let dir: string;
beforeAll(() => initBackend({ backend: 'cpu' }));
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'checkpoint-'))));
afterEach(() => rmSync(dir, { recursive: true }));

describe('a checkpoint', () => {
  it('gives back the model and the tokenizer, and leaves nothing else behind', async () => {
    const model = createModel(config, 5);
    const path = join(dir, 'deep', 'er');
    await saveModel(path, model, tokenizer);
    await saveModel(path, model, tokenizer);
    expect(readdirSync(path).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    const loaded = await loadModel(path);
    expect(loaded.model.config).toEqual({ ...config, bosTokenId: undefined });
    for (const [name, variable] of model.weights)
      expect(weight(loaded.model, name).dataSync()).toEqual(variable.dataSync());
    expect(loaded.tokenizer!.toJSON()).toBe(tokenizer.toJSON());
  });

  it.each(families)('of transformers is written back as it was: %s', async (family) => {
    const { model } = await loadModel(fixturePath(family));
    await saveModel(dir, model);
    const [written, original] = [dir, fixturePath(family)].map((at) =>
      readFileSync(join(at, 'model.safetensors')),
    );
    expect(Buffer.compare(written!, original!)).toBe(0);
  });

  it.each([
    ['F16', 'float16', 11],
    ['BF16', 'bfloat16', 8],
  ] as const)('in %s is half the size, says so, and keeps the bits it can', async (dtype, torch, bits) => {
    const model = createModel(config, 5);
    await saveModel(dir, model, undefined, { dtype });
    expect(JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8'))).toMatchObject({ torch_dtype: torch });
    const { model: loaded, tokenizer: none } = await loadModel(dir);
    expect(none).toBeUndefined();
    for (const [name, variable] of model.weights) {
      const values = variable.dataSync();
      weight(loaded, name)
        .dataSync()
        .forEach((value, i) =>
          expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(
            // below 2^-14 half precision has fewer bits
            Math.max(Math.abs(values[i]!) * 2 ** -bits, dtype === 'F16' ? 2 ** -25 : 0),
          ),
        );
    }
  });

  it('is not written at all when it would be useless', async () => {
    const other = trainBpe(['a'], { vocabSize: 256, specialTokens: [] });
    const model = createModel(config, 5);
    await expect(saveModel(dir, model, other)).rejects.toThrow(/256 tokens, the model 261/);
    weight(model, 'model.norm.weight').assign(tf.fill([8], 7e4));
    await expect(saveModel(dir, model, tokenizer, { dtype: 'F16' })).rejects.toThrow(
      /model.norm.weight holds 70000, which is too large for F16/,
    );
    weight(model, 'model.norm.weight').assign(tf.fill([8], Infinity));
    await expect(saveModel(dir, model, tokenizer)).rejects.toThrow(/model.norm.weight holds Infinity/);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('loadModel names what is wrong', () => {
  const path = (name: string): string => join(dir, name);
  const change = (edit: (tensors: Map<string, NamedTensor>) => unknown): void => {
    const { tensors } = parseSafetensors(readFileSync(path('model.safetensors')));
    edit(tensors);
    writeFileSync(path('model.safetensors'), serializeSafetensors(tensors));
  };
  const norm = { shape: [8], data: new Float32Array(8) };

  it.each<[string, () => unknown, RegExp]>([
    ['no folder', () => rmSync(dir, { recursive: true }), /config.json is missing/],
    ['no weights', () => rmSync(path('model.safetensors')), /model.safetensors is missing/],
    ['half a file', () => writeFileSync(path('model.safetensors'), 'abc'), /damaged: it has 3 bytes/],
    ['a broken config', () => writeFileSync(path('config.json'), '{'), /config.json is not JSON/],
    ['a broken tokenizer', () => writeFileSync(path('tokenizer.json'), '{}'), /tokenizer.json: added_tokens/],
    ['a missing weight', () => change((t) => t.delete('model.norm.weight')), /lacks model.norm.weight/],
    ['a strange weight', () => change((t) => t.set('v_head.weight', norm)), /has v_head.weight/],
    [
      'another shape',
      () => change((t) => t.set('model.norm.weight', { ...norm, shape: [8, 1] })),
      /is \[8, 1\]/,
    ],
    [
      'NaN',
      () => change((t) => t.set('model.norm.weight', { ...norm, data: new Float32Array(8).fill(NaN) })),
      /holds NaN/,
    ],
    [
      'a tokenizer of another model',
      () =>
        writeFileSync(
          path('tokenizer.json'),
          trainBpe(['a'], { vocabSize: 256, specialTokens: [] }).toJSON(),
        ),
      /256 tokens, the model 261/,
    ],
  ])('%s', async (_, damage, message) => {
    await saveModel(dir, createModel(config, 5), tokenizer);
    damage();
    const before = tf.memory().numTensors;
    await expect(loadModel(dir)).rejects.toThrow(message);
    await expect(loadModel(dir)).rejects.toThrow(dir);
    expect(tf.memory().numTensors).toBe(before);
    mkdirSync(dir, { recursive: true });
  });

  it('accepts a tied model that repeats the embedding as lm_head', async () => {
    await saveModel(dir, createModel(config, 5));
    change((t) => t.set('lm_head.weight', t.get('model.embed_tokens.weight')!));
    await expect(loadModel(dir)).resolves.toBeDefined();
  });
});
