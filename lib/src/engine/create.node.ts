import * as tf from '@tensorflow/tfjs-core';
import type { Model } from '../model/index.js';
import { createLocalEngine } from './local.js';
import { PooledEngine, type PooledEngineOptions } from './pooled.js';
import { startThread } from './thread.node.js';
import type { Engine } from './types.js';

/**
 * An engine whose work is done by threads with the active tfjs back end; `model` is trained in place, or its adapter alone where it
 * has one.
 * The caller owns the model; `dispose` ends the threads and frees what the engine added.
 * @throws RangeError when `workers` is not a whole number from 1 on
 */
export function createPooledEngine(model: Model, options: PooledEngineOptions): Engine {
  return new PooledEngine(model, options, startThread);
}

/** Back ends that one thread of ours keeps busy. */
const soloBackends: readonly string[] = ['tensorflow', 'webgpu'];

/**
 * The engine for so many threads: this one, or workers. Both give the same bits.
 * It is this thread always on TensorFlow, which has threads of its own inside every operation, and on WebGPU, where one thread
 * keeps the GPU busy and each worker would hold a copy of the model on it.
 */
export function createEngine(model: Model, options: PooledEngineOptions): Engine {
  const here = options.workers === 1 || soloBackends.includes(tf.getBackend());
  return here ? createLocalEngine(model, options) : createPooledEngine(model, options);
}
