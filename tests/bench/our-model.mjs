// One training step and a sampling run of the library's own model.
import * as tf from '@tensorflow/tfjs-core';
import { adamWUpdate, globalNorm, initBackend, selectedLogprobs } from '../../lib/dist/tensor/index.js';
import { createModel, forward, generate, outputLogits, sampleKeys } from '../../lib/dist/model/index.js';

/** Returns a function that takes one training step, and one that samples and returns tokens a second. */
export async function ourSteps(config, ids, targets) {
  await initBackend({ backend: 'wasm' });
  const model = createModel(config, 1);
  const variables = [...model.weights.values()];
  const zeros = () => variables.map((x) => tf.tidy(() => tf.variable(tf.zerosLike(x), false)));
  const [m, v] = [zeros(), zeros()];
  const idTensor = tf.tensor2d(ids.values, ids.shape, 'int32');
  const targetTensor = tf.tensor1d(targets, 'int32');
  let step = 0;

  const train = async () => {
    const { value, grads } = tf.variableGrads(() => {
      const logits = outputLogits(model, tf.reshape(forward(model, idTensor), [-1, config.hiddenSize]));
      return tf.neg(tf.mean(selectedLogprobs(logits, targetTensor).logprobs));
    }, variables);
    const gradients = variables.map((x) => grads[x.name]);
    const gradScale = Math.min(1, 1 / (await globalNorm(gradients)));
    step += 1;
    const options = { lr: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0.01, step, gradScale };
    variables.forEach((x, i) => adamWUpdate(x, gradients[i], m[i], v[i], options));
    const result = value.dataSync()[0];
    value.dispose();
    tf.dispose(grads);
    return result;
  };

  const sample = async () => {
    const [sequences, newTokens] = [64, 96];
    const prompts = Array.from({ length: sequences }, (_, i) => ids.values.slice(i * 16, i * 16 + 32));
    const params = { maxNewTokens: newTokens, temperature: 1, stopTokens: [] };
    const start = performance.now();
    await generate(model, prompts, params, sampleKeys(sequences, 1, 'bench'));
    return (sequences * newTokens * 1000) / (performance.now() - start);
  };
  return { train, sample };
}
