import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import {
  adapterConfigFromJSON,
  addAdapter,
  createModel,
  disposeModel,
  mergeAdapter,
  parseSafetensors,
  presets,
  serializeSafetensors,
  type NamedTensor,
  weight,
} from 'posttrain/model';
import { loadAdapter, saveAdapter } from 'posttrain/model/adapter-checkpoint.node';
import { loadModel, saveModel } from 'posttrain/model/checkpoint.node';
import { initBackend } from 'posttrain/tensor';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { families, fixturePath, loadAdapterReference } from './fixture.js';

const config = { ...presets.nano(20), hiddenSize: 8, intermediateSize: 12, numHiddenLayers: 1 };
const values = (weights: ReadonlyMap<string, tf.Variable>): unknown[] =>
  [...weights].map(([name, variable]) => [name, variable.shape, variable.dataSync()]);

let dir: string;
beforeAll(() => initBackend({ backend: 'cpu' }));
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'adapter-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('an adapter in files', () => {
  it('comes back bit for bit, and nothing else is left behind', async () => {
    const base = createModel(config, 5);
    const model = addAdapter(base, { r: 2, loraAlpha: 3, targetModules: ['q_proj', 'down_proj'], seed: 1 });
    const path = join(dir, 'deep', 'er');
    await saveAdapter(path, model);
    await saveAdapter(path, model, { baseModelNameOrPath: 'org/base' });
    expect(readdirSync(path).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    const loaded = await loadAdapter(path, base);
    expect(loaded.weights).toBe(base.weights);
    expect(loaded.adapter!.config).toEqual(model.adapter!.config);
    expect(values(loaded.adapter!.weights)).toEqual(values(model.adapter!.weights));
    const json = JSON.parse(readFileSync(join(path, 'adapter_config.json'), 'utf8')) as object;
    expect(json).toMatchObject({ peft_type: 'LORA', base_model_name_or_path: 'org/base', lora_alpha: 3 });
  });

  it.each(families)('by PEFT is written back as it was: %s', async (family) => {
    const { model } = await loadAdapterReference(family);
    await saveAdapter(dir, model);
    const original = fixturePath(`${family}/adapter`);
    const [written, theirTensors] = [dir, original].map((at) =>
      readFileSync(join(at, 'adapter_model.safetensors')),
    );
    // Without the copy of `lm_head` that PEFT adds where that is a target.
    const own = [...parseSafetensors(theirTensors!).tensors].filter(([name]) => name.includes('.lora_'));
    const expected = serializeSafetensors(new Map(own), { metadata: { format: 'pt' } });
    expect(Buffer.compare(written!, expected)).toBe(0);
    // All that we say of it is what PEFT said.
    const [ours, theirs] = [dir, original].map(
      (at) => JSON.parse(readFileSync(join(at, 'adapter_config.json'), 'utf8')) as Record<string, unknown>,
    );
    expect(theirs).toMatchObject({ ...ours, base_model_name_or_path: expect.any(String) });
  });

  it('is no model, and a model with an adapter is not written as if it had none', async () => {
    const base = createModel(config, 5);
    const model = addAdapter(base, { seed: 1 });
    await expect(saveModel(dir, model)).rejects.toThrow(/has an adapter: merge it/);
    await expect(saveAdapter(dir, base)).rejects.toThrow(/no adapter; write it with saveModel/);
    expect(readdirSync(dir)).toEqual([]);
    await saveAdapter(dir, model);
    await expect(loadModel(dir)).rejects.toThrow(/holds an adapter: load its base model/);
    await saveModel(join(dir, 'merged'), mergeAdapter(model));
    expect((await loadModel(join(dir, 'merged'))).model.adapter).toBeUndefined();
  });

  it('is not written at all when it would be useless', async () => {
    const model = addAdapter(createModel(config, 5), { seed: 1 });
    const [[name, variable]] = [...model.adapter!.weights] as [[string, tf.Variable]];
    variable.assign(tf.fill(variable.shape, NaN));
    await expect(saveAdapter(dir, model)).rejects.toThrow(`${name} holds NaN at position 0`);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('loadAdapter names what is wrong', () => {
  const path = (name: string): string => join(dir, name);
  const change = (edit: (tensors: Map<string, NamedTensor>) => unknown): void => {
    const { tensors } = parseSafetensors(readFileSync(path('adapter_model.safetensors')));
    edit(tensors);
    writeFileSync(path('adapter_model.safetensors'), serializeSafetensors(tensors));
  };
  const configure = (fields: object): void => {
    const json = JSON.parse(readFileSync(path('adapter_config.json'), 'utf8')) as object;
    writeFileSync(path('adapter_config.json'), JSON.stringify({ ...json, ...fields }));
  };
  const name = 'base_model.model.model.layers.0.mlp.down_proj.lora_A.weight';

  it.each<[string, () => unknown, RegExp]>([
    ['no folder', () => rmSync(dir, { recursive: true }), /adapter_config.json is missing/],
    ['no weights', () => rmSync(path('adapter_model.safetensors')), /adapter_model.safetensors is missing/],
    ['half a file', () => writeFileSync(path('adapter_model.safetensors'), 'abc'), /damaged/],
    ['a broken config', () => writeFileSync(path('adapter_config.json'), '{'), /is not JSON/],
    ['a missing weight', () => change((t) => t.delete(name)), /lacks .*down_proj.lora_A.weight/],
    [
      'a retrained head',
      () =>
        change((t) => t.set('base_model.model.lm_head.weight', { shape: [1], data: new Float32Array(1) })),
      /has base_model.model.lm_head.weight/,
    ],
    ['another rank', () => configure({ r: 3 }), /is \[2, 8\]; its adapter_config.json asks for \[3, 8\]/],
    ['NaN', () => change((t) => t.get(name)!.data.fill(NaN)), /holds NaN/],
    ['the embedding', () => configure({ target_modules: ['embed_tokens'] }), /is the embedding table/],
    ['a layer it lacks', () => configure({ target_modules: ['c_attn'] }), /c_attn is no linear layer/],
  ])('%s', async (_, damage, message) => {
    const base = createModel(config, 5);
    await saveAdapter(dir, addAdapter(base, { r: 2, seed: 1 }));
    damage();
    const before = tf.memory().numTensors;
    await expect(loadAdapter(dir, base)).rejects.toThrow(message);
    await expect(loadAdapter(dir, base)).rejects.toThrow(dir);
    expect(tf.memory().numTensors).toBe(before);
    disposeModel(base);
  });
});

describe('a copy of base weights in the file', () => {
  it('must be those of the model', async () => {
    const { model } = await loadModel(fixturePath('qwen3-gqa'));
    weight(model, 'lm_head.weight').assign(tf.zeros([40, 16]));
    await expect(loadAdapter(fixturePath('qwen3-gqa/adapter'), model)).rejects.toThrow(
      /has base_model.model.lm_head.base_layer.weight with other values than this model: load the base model/,
    );
  });
});

describe('adapter_config.json', () => {
  const minimal = { peft_type: 'LORA', r: 4, lora_alpha: 8, target_modules: ['q_proj'] };
  const read = (fields: object): unknown => adapterConfigFromJSON(JSON.stringify({ ...minimal, ...fields }));

  it('needs four fields, and takes what changes nothing', () => {
    const expected = { r: 4, loraAlpha: 8, targetModules: ['q_proj'] };
    expect(read({})).toEqual(expected);
    const idle = { lora_dropout: 0.05, revision: 'main', bias: 'none', task_type: 'CAUSAL_LM' };
    const off = { use_dora: false, modules_to_save: null, rank_pattern: {}, layer_replication: [] };
    expect(read({ ...idle, ...off, init_lora_weights: 'gaussian' })).toEqual(expected);
  });

  it.each<[object, RegExp]>([
    [{ peft_type: 'IA3' }, /unsupported or missing peft_type/],
    [{ r: undefined }, /unsupported or missing r:/],
    [{ r: 0 }, /unsupported or missing r:/],
    [{ target_modules: '.*q_proj' }, /target_modules: expected a list of names/],
    [{ use_dora: true }, /use_dora is true, which is not supported. Merge the adapter in Python/],
    [{ bias: 'all' }, /bias is "all"/],
    [{ lora_bias: true }, /lora_bias is true/],
    [{ modules_to_save: ['lm_head'] }, /modules_to_save is \["lm_head"\]/],
    [{ fan_in_fan_out: true }, /fan_in_fan_out is true/],
    [{ rank_pattern: { q_proj: 8 } }, /rank_pattern is \{"q_proj":8\}/],
    [{ alpha_pattern: { q_proj: 8 } }, /alpha_pattern is/],
    [{ layers_to_transform: [0] }, /layers_to_transform is \[0\]/],
    [{ exclude_modules: ['k_proj'] }, /exclude_modules is/],
    [{ init_lora_weights: 'pissa' }, /init_lora_weights is "pissa"/],
    [{ task_type: 'SEQ_CLS' }, /task_type is "SEQ_CLS"/],
    [{ of_tomorrow: 1 }, /of_tomorrow is 1/],
    // 8 / √4 = 16 / 4
    [{ use_rslora: true }, /use_rslora is true.* Set it to false and lora_alpha to 16, which gives the same/],
  ])('refuses %j', (fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });
});
