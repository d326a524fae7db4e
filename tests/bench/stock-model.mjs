// The same model and training step written with stock TensorFlow.js: what the fused kernels are measured against.
// Weights are [in, out], so that the forward products take tfjs's fast path; everything else is left to tfjs.
import * as tf from '@tensorflow/tfjs-core';
import { setThreadsCount } from '@tensorflow/tfjs-backend-wasm';
// tfjs-core registers no derivatives. These are the textbook ones, the same as in the @tensorflow/tfjs bundle.
import { registerGradients } from '../../lib/dist/tensor/gradients.js';

/** Starts the unmodified wasm back end and returns a function that takes one training step. */
export async function stockStep(config, ids, targets) {
  setThreadsCount(1);
  await tf.setBackend('wasm');
  await tf.ready();
  registerGradients();

  const {
    vocabSize,
    hiddenSize,
    intermediateSize,
    numHiddenLayers,
    numAttentionHeads: heads,
    headDim,
  } = config;
  const [batch, length] = ids.shape;
  const weight = (...shape) => tf.variable(tf.randomNormal(shape, 0, 0.02));
  const gain = () => tf.variable(tf.ones([hiddenSize]));
  const table = weight(vocabSize, hiddenSize);
  const finalNorm = gain();
  const layers = Array.from({ length: numHiddenLayers }, () => ({
    attentionNorm: gain(),
    query: weight(hiddenSize, hiddenSize),
    key: weight(hiddenSize, hiddenSize),
    value: weight(hiddenSize, hiddenSize),
    output: weight(hiddenSize, hiddenSize),
    feedForwardNorm: gain(),
    gate: weight(hiddenSize, intermediateSize),
    up: weight(hiddenSize, intermediateSize),
    down: weight(intermediateSize, hiddenSize),
  }));
  const variables = [table, finalNorm, ...layers.flatMap((layer) => Object.values(layer))];

  const half = headDim / 2;
  const angles = tf.outerProduct(
    tf.range(0, length),
    tf.tensor1d(Float32Array.from({ length: half }, (_, i) => config.ropeTheta ** (-i / half))),
  );
  const [cos, sin] = [tf.cos(angles), tf.sin(angles)].map((x) =>
    tf.keep(tf.reshape(x, [1, 1, length, half])),
  );
  const mask = tf.keep(tf.mul(tf.sub(1, tf.linalg.bandPart(tf.ones([length, length]), -1, 0)), -1e9));
  const idTensor = tf.tensor1d(ids.values, 'int32');
  const targetTensor = tf.tensor1d(targets, 'int32');

  const norm = (x, w) =>
    tf.mul(tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), config.rmsNormEps))), w);
  const rotate = (x) => {
    const [first, second] = tf.split(x, 2, -1);
    return tf.concat(
      [tf.sub(tf.mul(first, cos), tf.mul(second, sin)), tf.add(tf.mul(second, cos), tf.mul(first, sin))],
      -1,
    );
  };
  const headsFirst = (x) => tf.transpose(tf.reshape(x, [batch, length, heads, headDim]), [0, 2, 1, 3]);
  const attention = (x, { query, key, value, output }) => {
    const [q, k] = [query, key].map((w) => rotate(headsFirst(tf.matMul(x, w))));
    const scores = tf.add(tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(headDim)), mask);
    const mixed = tf.matMul(tf.softmax(scores), headsFirst(tf.matMul(x, value)));
    return tf.matMul(tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, hiddenSize]), output);
  };
  const feedForward = (x, { gate, up, down }) => {
    const g = tf.matMul(x, gate);
    return tf.matMul(tf.mul(tf.mul(g, tf.sigmoid(g)), tf.matMul(x, up)), down);
  };
  // gather has no gradient on wasm: an embedding is a product with one-hot rows.
  const loss = () => {
    let x = tf.matMul(tf.cast(tf.oneHot(idTensor, vocabSize), 'float32'), table);
    for (const layer of layers) {
      x = tf.add(x, attention(norm(x, layer.attentionNorm), layer));
      x = tf.add(x, feedForward(norm(x, layer.feedForwardNorm), layer));
    }
    const logits = tf.matMul(norm(x, finalNorm), table, false, true);
    const chosen = tf.cast(tf.oneHot(targetTensor, vocabSize), 'float32');
    return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), chosen), 1)));
  };
  const optimizer = tf.train.adam(1e-3);
  return () => {
    const value = optimizer.minimize(loss, true, variables);
    const result = value.dataSync()[0];
    value.dispose();
    return result;
  };
}
