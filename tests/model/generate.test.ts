import * as tf from '@tensorflow/tfjs-core';
import {
  createModel,
  disposeModel,
  forward,
  generate,
  outputLogits,
  sampleKeys,
  scoreSequences,
  type Model,
  type ModelConfig,
  type Sample,
  type SamplingParams,
} from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';
import { families, loadReference, maxDifference } from './fixture.js';

const prompts = [
  [3, 17, 5, 39, 4],
  [3, 9, 4],
  [3, 17, 5, 39, 4],
  [3, 22, 8, 8, 21, 30, 11, 2, 4],
  [6],
  [3, 9, 4],
].map((ids) => Int32Array.from(ids));
const params: SamplingParams = { maxNewTokens: 12, temperature: 1, stopTokens: [1, 7, 19] };
const keys = sampleKeys(prompts.length, 42, 'test');

const scored = (model: Model, samples: readonly Sample[], temperature: number): Promise<Float32Array[]> =>
  scoreSequences(
    model,
    samples.map(({ tokens }, i) => ({
      tokens: [...prompts[i]!, ...tokens],
      mask: [...prompts[i]!.map(() => 0), ...tokens.map(() => 1)],
    })),
    { temperature },
  );

describe.each(testedBackends)('generate on %s', (backend) => {
  let model: Model;
  beforeAll(async () => {
    await initBackend({ backend });
    ({ model } = await loadReference('qwen3-gqa'));
  });
  afterAll(() => disposeModel(model));

  it('returns the log-probabilities that the trainer computes, cached or not', async () => {
    for (const temperature of [1, 0.6]) {
      const samples = await generate(model, prompts, { ...params, temperature }, keys);
      const scores = await scored(model, samples, temperature);
      samples.forEach(({ tokens, logprobs }, i) => {
        expect(logprobs.length).toBe(tokens.length);
        expect(maxDifference(logprobs, scores[i]!.slice(prompts[i]!.length))).toBeLessThan(1e-4);
      });
    }
  });

  it('ends at a stop token or at maxNewTokens', async () => {
    const samples = await generate(model, prompts, params, keys);
    for (const { tokens, finishReason } of samples) {
      const stops = [...tokens].map((token) => params.stopTokens.includes(token));
      expect(stops.indexOf(true)).toBe(finishReason === 'stop' ? tokens.length - 1 : -1);
      if (finishReason === 'length') expect(tokens.length).toBe(params.maxNewTokens);
    }
    // Both endings occur, at different lengths: the batch was made smaller on the way.
    expect(new Set(samples.map(({ finishReason }) => finishReason)).size).toBe(2);
    expect(new Set(samples.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(2);
  });

  it('draws the same sample whatever else is in the batch', async () => {
    const together = await generate(model, prompts, params, keys);
    const inPairs = await generate(model, prompts, params, keys, { batchSize: 2 });
    for (let i = 0; i < prompts.length; i++) {
      const [alone] = await generate(model, [prompts[i]!], params, [keys[i]!]);
      expect([...together[i]!.tokens]).toEqual([...alone!.tokens]);
      expect([...inPairs[i]!.tokens]).toEqual([...alone!.tokens]);
      expect(maxDifference(together[i]!.logprobs, alone!.logprobs)).toBeLessThan(1e-5);
    }
  });

  it('repeats itself with the same seed only', async () => {
    const tokens = async (seed: number, step: number): Promise<number[][]> =>
      (await generate(model, prompts, params, sampleKeys(prompts.length, seed, 'test', step))).map((s) => [
        ...s.tokens,
      ]);
    const first = await tokens(1, 0);
    expect(await tokens(1, 0)).toEqual(first);
    expect(await tokens(2, 0)).not.toEqual(first);
    expect(await tokens(1, 1)).not.toEqual(first);
  });

  it('gives the samples of a group different continuations, different in the first token already', async () => {
    const group = new Array<Int32Array>(16).fill(prompts[0]!);
    const samples = await generate(model, group, { ...params, maxNewTokens: 1 }, sampleKeys(16, 0, 'test'));
    expect(new Set(samples.map(({ tokens }) => tokens[0])).size).toBeGreaterThan(1);
  });

  it('takes the most likely token of the uncached model when greedy', async () => {
    const greedy: SamplingParams = { maxNewTokens: 5, temperature: 0, stopTokens: [] };
    const samples = await generate(model, prompts, greedy, keys);
    for (const [i, { tokens }] of samples.entries()) {
      const sequence = [...prompts[i]!];
      for (let n = 0; n < 5; n++) {
        const logits = await valuesOf(() =>
          outputLogits(model, forward(model, tf.tensor2d([sequence], undefined, 'int32'))),
        );
        const last = [...logits.slice(-model.config.vocabSize)];
        sequence.push(last.indexOf(Math.max(...last)));
      }
      expect([...tokens]).toEqual(sequence.slice(prompts[i]!.length));
    }
    const again = await generate(model, prompts, greedy, sampleKeys(prompts.length, 9, 'other'));
    expect(again).toEqual(samples);
  });

  it('reports filtered log-probabilities on the filtered support', async () => {
    const samples = await generate(model, prompts, { ...params, temperature: 0.8, topK: 3 }, keys);
    const { vocabSize } = model.config;
    for (const [i, { tokens, logprobs }] of samples.entries()) {
      const sequence = [...prompts[i]!, ...tokens];
      const logits = await valuesOf(() =>
        outputLogits(model, forward(model, tf.tensor2d([sequence], undefined, 'int32'))),
      );
      const expected = [...tokens].map((token, n) => {
        const first = (prompts[i]!.length - 1 + n) * vocabSize;
        const scaled = Array.from(logits.subarray(first, first + vocabSize), (logit) => logit / 0.8);
        const kept = [...scaled].sort((a, b) => b - a).slice(0, 3);
        return scaled[token]! - Math.log(kept.reduce((total, logit) => total + Math.exp(logit), 0));
      });
      expect(maxDifference(logprobs, expected)).toBeLessThan(1e-4);
    }
  });

  it('leaks nothing, also when it is stopped', async () => {
    const before = tf.memory().numTensors;
    await generate(model, prompts, params, keys);
    expect(tf.memory().numTensors).toBe(before);
    const controller = new AbortController();
    const stopped = generate(model, prompts, params, keys, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(tf.memory().numTensors).toBe(before);
  });

  it('tells how many samples are finished', async () => {
    const seen: number[] = [];
    const onProgress = (finished: number, total: number): unknown => seen.push(finished / total);
    await generate(model, prompts, params, keys, { batchSize: 3, onProgress });
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});

describe('prompts that are read together, and a token in one call', () => {
  const wasm = 'wasm';
  beforeAll(async () => {
    await initBackend({ backend: wasm });
  });

  /** Without kernels of these names. */
  async function without<T>(names: readonly string[], run: () => Promise<T>): Promise<T> {
    const kernels = names.map((name) => tf.getKernel(name, wasm));
    for (const name of names) tf.unregisterKernel(name, wasm);
    try {
      return await run();
    } finally {
      kernels.forEach(tf.registerKernel);
    }
  }

  /** Groups of several sizes, in order and mixed; a stop token now and then makes the batch smaller on the way. */
  const groups = [1, 20, 3, 2].flatMap((size, group) =>
    new Array<Int32Array>(size).fill(prompts[group + 1]!),
  );
  const mixed = groups.map((_, i) => groups[(i * 7) % groups.length]!);

  it.each(families)(
    'sample the bits of ops one by one with a copy of the prompt a row: %s',
    async (family) => {
      const { model } = await loadReference(family);
      for (const asked of [prompts, groups, mixed]) {
        const sample = (): Promise<Sample[]> =>
          generate(model, asked, params, sampleKeys(asked.length, 42, 'test'));
        const samples = await sample();
        expect(new Set(samples.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(1);
        expect(await without(['DecodeToken'], sample)).toEqual(samples);
        expect(await without(['DecodeToken', 'PrefixDecodeAttention'], sample)).toEqual(samples);
      }
      disposeModel(model);
    },
  );
});

describe('generate refuses', () => {
  const config: ModelConfig = {
    modelType: 'llama',
    vocabSize: 10,
    hiddenSize: 8,
    intermediateSize: 8,
    numHiddenLayers: 1,
    numAttentionHeads: 2,
    numKeyValueHeads: 1,
    headDim: 4,
    maxPositionEmbeddings: 16,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tieWordEmbeddings: true,
  };
  let model: Model;
  beforeAll(async () => {
    await initBackend({ backend: 'cpu' });
    model = createModel(config, 0);
  });
  afterAll(() => disposeModel(model));

  it.each<[string, number[], Partial<SamplingParams>, RegExp]>([
    [
      'a prompt that leaves no room',
      new Array<number>(5).fill(1),
      {},
      /prompt 0 has 5 tokens; with maxNewTokens 12/,
    ],
    ['an empty prompt', [], {}, /prompt 0 is empty/],
    ['an unknown token', [3, 10], {}, /token 10; the model knows 0 to 9/],
    ['no new tokens', [1], { maxNewTokens: 0 }, /maxNewTokens is 0/],
    ['a negative temperature', [1], { temperature: -1 }, /temperature is -1/],
    ['temperature NaN', [1], { temperature: NaN }, /temperature is NaN/],
    ['topP 0', [1], { topP: 0 }, /topP is 0/],
    ['half a topK', [1], { topK: 1.5 }, /topK is 1.5/],
  ])('%s', async (_, prompt, changes, message) => {
    const call = generate(
      model,
      [Int32Array.from(prompt)],
      { ...params, ...changes },
      sampleKeys(1, 0, 'test'),
    );
    await expect(call).rejects.toThrow(message);
  });

  it('a batch of nothing', async () => {
    const call = generate(model, [Int32Array.of(1)], params, sampleKeys(1, 0, 'test'), { batchSize: 0 });
    await expect(call).rejects.toThrow(/batchSize is 0/);
    await expect(scoreSequences(model, [], { microBatch: 0.5 })).rejects.toThrow(/microBatch is 0.5/);
  });

  it('fewer keys than prompts', async () => {
    await expect(generate(model, [Int32Array.of(1)], params, [])).rejects.toThrow(/1 prompts, but 0 keys/);
  });

  it('a model whose weights are not finite', async () => {
    const broken = createModel(config, 0);
    broken.weights.get('model.norm.weight')!.assign(tf.fill([8], NaN));
    const call = generate(broken, [Int32Array.of(1)], params, sampleKeys(1, 0, 'test'));
    await expect(call).rejects.toThrow(/not finite/);
  });
});
