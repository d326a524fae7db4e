import { readFileSync } from 'node:fs';
import { configFromJSON, configToJSON, parameterCount, presets } from 'posttrain/model';
import { describe, expect, it } from 'vitest';
import { families, fixturePath } from './fixture.js';

const readConfig = (family: string): Record<string, unknown> =>
  JSON.parse(readFileSync(fixturePath(`${family}/config.json`), 'utf8')) as Record<string, unknown>;

describe('config.json', () => {
  it('is read as transformers wrote it', () => {
    expect(configFromJSON(JSON.stringify(readConfig('llama-untied')))).toEqual({
      modelType: 'llama',
      vocabSize: 40,
      hiddenSize: 16,
      intermediateSize: 24,
      numHiddenLayers: 2,
      numAttentionHeads: 4,
      numKeyValueHeads: 4,
      headDim: 4,
      maxPositionEmbeddings: 64,
      ropeTheta: 500,
      rmsNormEps: 1e-6,
      tieWordEmbeddings: false,
      bosTokenId: undefined,
      eosTokenId: 1,
      padTokenId: 0,
    });
  });

  it('is read in the words of transformers 4, with its defaults', () => {
    const { head_dim, rope_parameters, num_key_value_heads, ...old } = readConfig('llama-untied');
    expect([head_dim, num_key_value_heads, rope_parameters]).not.toContain(undefined);
    const config = configFromJSON(
      JSON.stringify({ ...old, rope_theta: 1e6, rope_scaling: null, eos_token_id: [1, 2] }),
    );
    expect(config).toMatchObject({ headDim: 4, numKeyValueHeads: 4, ropeTheta: 1e6, eosTokenId: [1, 2] });
    expect(configFromJSON(JSON.stringify(old)).ropeTheta).toBe(10_000);
  });

  it.each(families)('survives a round trip: %s', (family) => {
    const config = configFromJSON(JSON.stringify(readConfig(family)));
    expect(configFromJSON(configToJSON(config))).toEqual(config);
  });

  it.each<[string, unknown]>([
    ['model_type', 'gpt2'],
    ['hidden_act', 'gelu'],
    ['rope_scaling', { type: 'linear', factor: 2 }],
    ['rope_parameters', { rope_type: 'yarn', rope_theta: 1e4, factor: 4 }],
    ['use_sliding_window', true],
    ['layer_types', ['full_attention', 'sliding_attention']],
    ['attention_bias', true],
    ['mlp_bias', true],
    ['quantization_config', { bits: 4 }],
    ['vocab_size', undefined],
    ['num_key_value_heads', 3],
    ['head_dim', 5],
  ])('names the field when %s is %j', (field, value) => {
    const json = JSON.stringify({ ...readConfig('qwen3-gqa'), [field]: value });
    expect(() => configFromJSON(json)).toThrow(new RegExp(`${field}`));
  });

  it('that is no JSON is said to be none', () => {
    expect(() => configFromJSON('{')).toThrow(/not JSON/);
  });
});

describe('presets', () => {
  it('have the sizes they promise', () => {
    expect(parameterCount(presets.nano(2048))).toBe(1_016_960);
    expect(parameterCount(presets.small(4096))).toBe(10_163_520);
  });
});
