import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { createLocalEngine } from 'posttrain/engine';
import { addAdapter, disposeModel, type Model, modelFrom, parameterCount, presets } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';

/** 3.5 million weights. */
const config = {
  ...presets.nano(2000),
  hiddenSize: 256,
  intermediateSize: 640,
  numAttentionHeads: 8,
  numKeyValueHeads: 8,
};
const MEGABYTE = 2 ** 20;

function plainModel(): Model {
  return modelFrom(config, (_, shape) =>
    new Float32Array(shape.reduce((a, b) => a * b, 1)).map((_, i) => ((i * 7919) % 1000) / 20_000 - 0.025),
  );
}

/** Size of the wasm heap, which never shrinks: the most that was needed so far. */
function heapSize(): number {
  const { wasm } = tf.backend() as BackendWasm as unknown as {
    wasm: { asm: { memory: WebAssembly.Memory } };
  };
  return wasm.asm.memory.buffer.byteLength / MEGABYTE;
}

/** Two steps, so that moments and accumulated gradients are all there; the heap's size after them. */
async function peakOfTraining(model: Model): Promise<number> {
  const engine = createLocalEngine(model, { microBatchTokens: 16 });
  const tokens = Int32Array.from({ length: 16 }, (_, t) => (t * 31) % 2000);
  const weights = new Float32Array(16).fill(1 / 15).fill(0, 0, 1);
  for (let step = 0; step < 2; step += 1) {
    await engine.forwardBackward(
      [
        { tokens, weights },
        { tokens, weights },
      ],
      { name: 'cross_entropy' },
    );
    await engine.optimStep({ learningRate: 1e-3 });
  }
  engine.dispose();
  disposeModel(model);
  return heapSize();
}

it('training an adapter needs little more memory than its base weights', async () => {
  await initBackend({ backend: 'wasm' });
  const weights = (4 * parameterCount(config)) / MEGABYTE;
  const empty = heapSize();
  const adapter = await peakOfTraining(addAdapter(plainModel(), { r: 8, seed: 1 }));
  const full = await peakOfTraining(plainModel());
  // Weights, two moments and gradients of two parts, against weights. The heap grows by a fifth more than is needed.
  expect(full).toBeGreaterThan(4 * weights);
  expect(adapter).toBeLessThan(Math.max(empty, 2 * weights));
});
