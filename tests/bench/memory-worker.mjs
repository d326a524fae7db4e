// A process that measures its own wasm heap: all memory that tensors and kernels ask for passes through malloc and free.
import * as tf from '@tensorflow/tfjs-core';
import { createLocalEngine } from '../../lib/dist/engine/index.js';
import { createModel } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { bytesByHand } from './memory-count.mjs';
import { trainingData } from './our-model.mjs';
import { makeWork } from './work.mjs';

/** The engine's own default. */
const PART = 1024;
const params = { learningRate: 1e-3 };

/** Counts what is allocated from now on. */
function watchHeap() {
  const module = tf.backend().wasm;
  module._free(module._malloc(1)); // the first call puts the real functions in their place
  const { _malloc: malloc, _free: free } = module;
  const sizes = new Map();
  const heap = { bytes: 0, peak: 0, size: () => module.asm.memory.buffer.byteLength };
  module._malloc = (bytes) => {
    const address = malloc(bytes);
    sizes.set(address >>> 0, bytes);
    heap.bytes += bytes;
    heap.peak = Math.max(heap.peak, heap.bytes);
    return address;
  };
  module._free = (address) => {
    heap.bytes -= sizes.get(address >>> 0) ?? 0;
    sizes.delete(address >>> 0);
    free(address);
  };
  return heap;
}

async function step(engine, data) {
  const { loss } = await engine.forwardBackward(data, { name: 'cross_entropy' });
  if (!Number.isFinite(loss)) throw new Error(`the loss is ${loss}`);
  await engine.optimStep(params);
}

async function peak({ batch, length, inParts }) {
  const work = makeWork({ batch, length });
  const heap = watchHeap();
  const microBatchTokens = inParts ? PART : batch * (length + 1);
  const engine = createLocalEngine(createModel(work.config, 1), { microBatchTokens });
  const data = trainingData(work);
  for (let i = 0; i < 3; i += 1) await step(engine, data);
  const atOnce = Math.min(batch, Math.floor(microBatchTokens / (length + 1))) * length;
  return {
    positions: atOnce,
    byHand: bytesByHand(work.config, atOnce),
    peak: heap.peak,
    atRest: heap.bytes,
    heap: heap.size(),
  };
}

async function growth({ steps }) {
  const work = makeWork({ batch: 2, length: 16 });
  const heap = watchHeap();
  const engine = createLocalEngine(createModel(work.config, 1));
  const data = trainingData(work);
  for (let i = 0; i < 3; i += 1) await step(engine, data);
  const before = { tensors: tf.memory().numTensors, bytes: heap.bytes };
  for (let i = 0; i < steps; i += 1) await step(engine, data);
  return { steps, tensors: tf.memory().numTensors - before.tensors, bytes: heap.bytes - before.bytes };
}

await initBackend({ backend: 'wasm' });
const task = JSON.parse(process.argv[2]);
process.send(await { peak, growth }[task.measure](task));
process.disconnect();
