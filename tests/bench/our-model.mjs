// The library's own model behind its own engines, as a trainer uses them.
import * as tf from '@tensorflow/tfjs-core';
import { createLocalEngine } from '../../lib/dist/engine/index.js';
import { createPooledEngine } from '../../lib/dist/engine/create.node.js';
import { createModel, sampleKeys } from '../../lib/dist/model/index.js';

/** What the engines train on: a row of the batch and the token after it, every prediction weighing the same. */
export function trainingData({ ids, targets }) {
  const [batch, length] = ids.shape;
  const weight = 1 / targets.length;
  return Array.from({ length: batch }, (_, row) => ({
    tokens: Int32Array.of(
      ...ids.values.subarray(row * length, (row + 1) * length),
      targets[(row + 1) * length - 1],
    ),
    weights: Float32Array.from({ length: length + 1 }, (_, t) => (t === 0 ? 0 : weight)),
  }));
}

/**
 * One engine on a model of its own: a training step, and sampling in tokens a second.
 * @param options.microBatchTokens by default one part a thread, so that no thread waits
 */
export function ourPeer(name, workers, work, { microBatchTokens } = {}) {
  const { config, ids, sampling } = work;
  const [batch, length] = ids.shape;
  const model = createModel(config, 1);
  const options = { microBatchTokens: microBatchTokens ?? Math.ceil((batch * (length + 1)) / workers) };
  const engine =
    workers === 1 ? createLocalEngine(model, options) : createPooledEngine(model, { workers, ...options });
  const data = trainingData(work);
  const params = { learningRate: 1e-3, adamBeta2: 0.999, weightDecay: 0.01, maxGradNorm: 1 };

  return {
    name,
    threads: workers,
    async step() {
      const start = performance.now();
      const cpu = process.cpuUsage();
      const { loss } = await engine.forwardBackward(data, { name: 'cross_entropy' });
      await engine.optimStep(params);
      const { user, system } = process.cpuUsage(cpu);
      return { milliseconds: performance.now() - start, cpuMilliseconds: (user + system) / 1000, loss };
    },
    async tokensPerSecond() {
      const { sequences, promptLength, newTokens } = sampling;
      const prompts = Array.from({ length: sequences }, (_, i) =>
        ids.values.slice(i * 16, i * 16 + promptLength),
      );
      const options = { maxNewTokens: newTokens, temperature: 1, stopTokens: [] };
      const start = performance.now();
      await engine.sample(prompts, options, sampleKeys(sequences, 1, 'bench'));
      return (sequences * newTokens * 1000) / (performance.now() - start);
    },
    close: () => engine.dispose(),
  };
}

/** GFLOP/s of one product on one thread, the best of thirty, ours and XNNPACK's in turn; XNNPACK multiplies without transposes. */
export function gemmSpeed({ m, n, k, transposeA, transposeB }) {
  return tf.tidy(() => {
    const a = tf.randomUniform(transposeA ? [k, m] : [m, k]);
    const b = tf.randomUniform(transposeB ? [n, k] : [k, n]);
    const [plainA, plainB] = [tf.randomUniform([m, k]), tf.randomUniform([k, n])];
    const time = (multiply) => {
      const start = performance.now();
      tf.dispose(multiply());
      return performance.now() - start;
    };
    const times = Array.from({ length: 30 }, () => [
      time(() => tf.matMul(a, b, transposeA, transposeB)),
      // the fused product is stock: ours take the place of the plain one
      time(() => tf.fused.matMul({ a: plainA, b: plainB })),
    ]);
    const [ours, xnnpack] = [0, 1].map((i) => (2 * m * n * k) / Math.min(...times.map((t) => t[i])) / 1e6);
    return { gflops: ours, xnnpackGflops: xnnpack };
  });
}
