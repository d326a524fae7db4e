import * as tf from '@tensorflow/tfjs-core';
import {
  adapterShapes,
  addAdapter,
  type AdapterOptions,
  cloneModel,
  copyWeights,
  createModel,
  disposeAdapter,
  disposeModel,
  forward,
  generate,
  mergeAdapter,
  type Model,
  outputLogits,
  presets,
  sampleKeys,
  scoreSequences,
  sequenceLogprobs,
  trainableWeights,
  weight,
} from 'posttrain/model';
import { initBackend, randomStream } from 'posttrain/tensor';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { families, loadAdapterReference, maxDifference, type Reference } from './fixture.js';

const config = { ...presets.nano(50), hiddenSize: 16, intermediateSize: 24, numHiddenLayers: 2, headDim: 4 };
const tokens = [3, 17, 5, 39, 4, 8, 8, 21, 1];

const logitsOf = (model: Model, ids: readonly number[] = tokens): Float32Array =>
  tf.tidy(() =>
    outputLogits(model, forward(model, tf.tensor2d([[...ids]], undefined, 'int32'))).dataSync<'float32'>(),
  );

/** As after some training: an adapter that changes something. */
function trained(model: Model): Model {
  const adapted = addAdapter(model, { r: 3, loraAlpha: 4, seed: 1 });
  for (const [name, variable] of adapted.adapter!.weights) {
    const random = randomStream(2, name);
    tf.tidy(() =>
      variable.assign(
        tf.tensor(
          Float32Array.from({ length: variable.size }, () => 0.3 * random.normal()),
          variable.shape,
        ),
      ),
    );
  }
  return adapted;
}

describe.each(['wasm', 'cpu'] as const)('an adapter on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  describe.each(families)('of PEFT for %s', (family) => {
    let reference: Reference;
    beforeAll(async () => void (reference = await loadAdapterReference(family)));
    afterAll(() => disposeModel(reference.model));

    it('gives the logits of PEFT within 1e-4, merged too', () => {
      const { model, tensors, sequences } = reference;
      const merged = mergeAdapter(model);
      sequences.forEach(({ tokens }, i) => {
        const expected = tensors.get(`logits.${i}`)!.data;
        const ids = tokens as number[];
        expect(maxDifference(logitsOf(model, ids), expected)).toBeLessThan(1e-4);
        expect(maxDifference(logitsOf(merged, ids), expected)).toBeLessThan(1e-4);
        expect(maxDifference(logitsOf({ ...model, adapter: undefined }, ids), expected)).toBeGreaterThan(0.1);
      });
      disposeModel(merged);
    });

    it('gives its loss and its gradients of every A and B', () => {
      const { model, tensors, sequences } = reference;
      const weights = trainableWeights(model);
      const { value, grads } = tf.variableGrads(
        () => tf.neg(tf.mean(sequenceLogprobs(model, sequences).logprobs)) as tf.Scalar,
        [...weights.values()],
      );
      expect(maxDifference(value.dataSync(), tensors.get('loss')!.data)).toBeLessThan(1e-5);
      expect([...tensors.keys()].filter((name) => name.startsWith('grad.'))).toHaveLength(weights.size);
      for (const [name, variable] of weights) {
        const expected = tensors.get(`grad.${name}`)!.data;
        const scale = Math.max(...expected.map(Math.abs));
        expect(scale).toBeGreaterThan(0);
        const difference = maxDifference(grads[variable.name]!.dataSync(), expected);
        expect(difference / scale, name).toBeLessThan(1e-4);
      }
      tf.dispose([value, ...Object.values(grads)]);
    });
  });

  describe('of ours', () => {
    let base: Model;
    let tensorsBefore: number;
    beforeEach(() => {
      tensorsBefore = tf.memory().numTensors;
      base = createModel(config, 5);
    });
    afterEach(() => {
      disposeModel(base);
      expect(tf.memory().numTensors).toBe(tensorsBefore);
    });

    it('changes nothing at first, exactly', () => {
      const { adapter, ...model } = addAdapter(base, { seed: 1 });
      expect(model.weights).toBe(base.weights);
      expect(adapter!.config).toMatchObject({ r: 16, loraAlpha: 32 });
      expect(logitsOf({ ...model, adapter })).toEqual(logitsOf(base));
      disposeAdapter(adapter!);
    });

    it('starts A uniform within 1/√in by its seed, and B at 0', () => {
      const [a, b, c] = [1, 1, 2].map((seed) => addAdapter(base, { r: 8, seed }).adapter!);
      for (const [name, variable] of a!.weights) {
        const values = variable.dataSync<'float32'>();
        if (name.endsWith('lora_B.weight')) {
          expect(values.every((value) => value === 0)).toBe(true);
          continue;
        }
        expect(b!.weights.get(name)!.dataSync()).toEqual(values);
        expect(c!.weights.get(name)!.dataSync()).not.toEqual(values);
        const bound = 1 / Math.sqrt(variable.shape[1]!);
        expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(bound);
        // Of a uniform distribution over ±bound; 128 numbers and more.
        const deviation = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
        expect(Math.abs(deviation / (bound / Math.sqrt(3)) - 1)).toBeLessThan(0.2);
      }
      [a, b, c].forEach((adapter) => disposeAdapter(adapter!));
    });

    it('is the same in cached sampling, in scoring and merged', async () => {
      const model = trained(base);
      const merged = mergeAdapter(model);
      expect(maxDifference(logitsOf(merged), logitsOf(model))).toBeLessThan(1e-5);
      expect(maxDifference(logitsOf(base), logitsOf(model))).toBeGreaterThan(0.1);

      const prompts = [Int32Array.of(3, 17, 5), Int32Array.of(9)];
      const params = { maxNewTokens: 8, temperature: 1, stopTokens: [] };
      const samples = await generate(model, prompts, params, sampleKeys(2, 1, 'adapter'));
      const sequences = samples.map((sample, i) => ({
        tokens: [...prompts[i]!, ...sample.tokens],
        mask: [...prompts[i]!.map(() => 0), ...sample.tokens.map(() => 1)],
      }));
      for (const scorer of [model, merged]) {
        const scores = await scoreSequences(scorer, sequences);
        samples.forEach(({ logprobs }, i) =>
          expect(maxDifference(scores[i]!.slice(prompts[i]!.length), logprobs)).toBeLessThan(1e-4),
        );
      }
      disposeAdapter(model.adapter!);
      disposeModel(merged);
    });

    it('merged is a model of its own', () => {
      const model = trained(base);
      const merged = mergeAdapter(model);
      const before = logitsOf(merged);
      expect(merged.adapter).toBeUndefined();
      disposeAdapter(model.adapter!);
      const name = 'model.norm.weight';
      tf.tidy(() => weight(base, name).assign(tf.zerosLike(weight(base, name))));
      expect(logitsOf(merged)).toEqual(before);
      disposeModel(merged);
    });

    it('is copied with its model', () => {
      const model = trained(base);
      const clone = cloneModel(model);
      const other = addAdapter(createModel(config, 9), { ...model.adapter!.config, seed: 4 });
      copyWeights(model, other);
      for (const copy of [clone, other]) {
        expect(logitsOf(copy)).toEqual(logitsOf(model));
        const [[name, variable]] = [...copy.adapter!.weights] as [[string, tf.Variable]];
        expect(variable).not.toBe(model.adapter!.weights.get(name));
      }
      expect(() => copyWeights(model, base)).toThrow(/copied to has no base_model.model.*lora_A.weight/);
      expect(() => copyWeights(base, model)).toThrow(/copied from has no base_model.model.*lora_A.weight/);
      [clone, other].forEach(disposeModel);
      disposeAdapter(model.adapter!);
    });

    it.each<[string, Partial<AdapterOptions>, RegExp]>([
      ['a rank of 0', { r: 0 }, /r is 0; expected an integer above 0/],
      ['half a rank', { r: 1.5 }, /r is 1.5/],
      ['no scale', { loraAlpha: 0 }, /loraAlpha is 0; expected a number above 0, e.g. 32/],
      ['NaN', { loraAlpha: NaN }, /loraAlpha is NaN/],
      ['no target', { targetModules: [] }, /targetModules is empty; name some of q_proj, .*down_proj/],
      ['the embedding', { targetModules: ['q_proj', 'embed_tokens'] }, /embed_tokens is the embedding table/],
      ['a tied lm_head', { targetModules: ['lm_head'] }, /lm_head shares its matrix with the embedding/],
      ['a norm', { targetModules: ['norm'] }, /norm is no linear layer of this model. Leave it out/],
      ['half a name', { targetModules: ['proj'] }, /proj is no linear layer/],
      ['a layer too many', { targetModules: ['layers.2.mlp.up_proj'] }, /layers.2.mlp.up_proj is no linear/],
    ])('cannot have %s', (_, options, message) => {
      expect(() => addAdapter(base, { ...options, seed: 1 })).toThrow(message);
    });

    it('is refused where there is one', () => {
      const model = addAdapter(base, { seed: 1 });
      expect(() => addAdapter(model, { seed: 2 })).toThrow(/has an adapter already; merge it first/);
      expect(() => mergeAdapter(base)).toThrow(/no adapter to merge/);
      disposeAdapter(model.adapter!);
    });
  });
});

describe('adapterShapes', () => {
  it('names layers as PEFT does, by the end of their names', () => {
    const untied = { ...config, tieWordEmbeddings: false, vocabSize: 50 };
    const targetModules = ['v_proj', 'layers.1.mlp.up_proj', 'lm_head'];
    expect([...adapterShapes(untied, { r: 2, loraAlpha: 1, targetModules })]).toEqual([
      ['base_model.model.model.layers.0.self_attn.v_proj.lora_A.weight', [2, 16]],
      ['base_model.model.model.layers.0.self_attn.v_proj.lora_B.weight', [16, 2]],
      ['base_model.model.model.layers.1.self_attn.v_proj.lora_A.weight', [2, 16]],
      ['base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight', [16, 2]],
      ['base_model.model.model.layers.1.mlp.up_proj.lora_A.weight', [2, 16]],
      ['base_model.model.model.layers.1.mlp.up_proj.lora_B.weight', [24, 2]],
      ['base_model.model.lm_head.lora_A.weight', [2, 16]],
      ['base_model.model.lm_head.lora_B.weight', [50, 2]],
    ]);
  });
});
