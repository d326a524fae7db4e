import * as tf from '@tensorflow/tfjs-core';
import {
  cloneModel,
  copyWeights,
  createModel,
  disposeModel,
  presets,
  weight,
  weightShapes,
} from 'posttrain/model';
import { adamWUpdate, initBackend } from 'posttrain/tensor';
import { beforeAll, describe, expect, it } from 'vitest';
import { testedBackends } from '../tensor/backends.js';

const config = { ...presets.nano(300), hiddenSize: 32, intermediateSize: 64, numHiddenLayers: 2 };

describe('createModel', () => {
  beforeAll(() => initBackend({ backend: 'cpu' }));

  it('draws the same weights from the same seed, others from another', () => {
    const [a, b, c] = [createModel(config, 1), createModel(config, 1), createModel(config, 2)];
    for (const name of weightShapes(config).keys()) {
      expect(weight(a, name).dataSync()).toEqual(weight(b, name).dataSync());
      if (!name.endsWith('norm.weight'))
        expect(weight(a, name).dataSync()).not.toEqual(weight(c, name).dataSync());
    }
    [a, b, c].forEach(disposeModel);
  });

  it('starts norms at 1 and the rest at deviation 1/√inputs, less where a layer writes to the residual stream', () => {
    const model = createModel(config, 0);
    const deviation = (name: string): number => {
      const values = weight(model, name).dataSync<'float32'>();
      return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    };
    expect(deviation('model.layers.1.input_layernorm.weight')).toBe(1);
    expect(deviation('model.embed_tokens.weight') * Math.sqrt(32)).toBeCloseTo(1, 1);
    expect(deviation('model.layers.0.self_attn.k_proj.weight') * Math.sqrt(32)).toBeCloseTo(1, 1);
    expect(deviation('model.layers.1.self_attn.o_proj.weight') * Math.sqrt(128)).toBeCloseTo(0.5, 1);
    expect(deviation('model.layers.0.mlp.down_proj.weight') * Math.sqrt(64)).toBeCloseTo(0.5, 1);
    disposeModel(model);
  });

  it('and disposeModel balance', () => {
    const before = tf.memory().numTensors;
    disposeModel(createModel(config, 0));
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe.each(testedBackends)('copies on %s', (backend) => {
  beforeAll(() => initBackend({ backend }));

  it.each(['copyWeights', 'cloneModel'])(
    '%s: equal, and independent of what an optimizer does in place',
    async (how) => {
      const source = createModel(config, 1);
      const before = tf.memory().numTensors;
      const copy = how === 'cloneModel' ? cloneModel(source) : createModel(config, 2);
      if (how === 'copyWeights') copyWeights(source, copy);
      expect(tf.memory().numTensors - before).toBe(source.weights.size);

      const name = 'model.layers.0.mlp.up_proj.weight';
      const original = (await weight(source, name).data()).slice();
      expect(await weight(copy, name).data()).toEqual(original);
      const zeros = (): tf.Variable => tf.variable(tf.zeros(weight(source, name).shape));
      adamWUpdate(weight(source, name), tf.onesLike(weight(source, name)), zeros(), zeros(), {
        lr: 0.1,
        beta1: 0.9,
        beta2: 0.999,
        eps: 1e-8,
        weightDecay: 0,
        step: 1,
      });
      expect(await weight(source, name).data()).not.toEqual(original);
      expect(await weight(copy, name).data()).toEqual(original);
      [source, copy].forEach(disposeModel);
    },
  );

  it('refuses another config', () => {
    const [a, b] = [createModel(config, 0), createModel({ ...config, vocabSize: 301 }, 0)];
    expect(() => copyWeights(a, b)).toThrow(/embed_tokens.weight is \[300,32\] in one model and \[301,32\]/);
    [a, b].forEach(disposeModel);
  });
});
