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

/**
 * The engine for so many threads: this one, or workers. Both give the same bits.
 * On TensorFlow it is this thread always: TensorFlow has threads of its own inside every operation.
 */
export function createEngine(model: Model, options: PooledEngineOptions): Engine {
  const here = options.workers === 1 || tf.getBackend() === 'tensorflow';
  return here ? createLocalEngine(model, options) : createPooledEngine(model, options);
}
