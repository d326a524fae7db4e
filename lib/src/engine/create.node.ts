import * as tf from '@tensorflow/tfjs-core';
import type { Model } from '../model/index.js';
import { createLocalEngine } from './local.js';
import { PooledEngine, type PooledEngineOptions } from './pooled.js';
import { PooledScalarEngine } from './pooled-scalar.js';
import { createScalarEngine } from './scalar.js';
import type { ScalarEngine } from './scalar-types.js';
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
 * The engine of a model with a scalar head, a critic or a reward model, whose work is done by threads with the active tfjs back end;
 * `model` is trained in place. The caller owns it; `dispose` ends the threads and frees what the engine added.
 * @throws RangeError when `workers` is not a whole number from 1 on; an Error when the model has no scalar head, or an adapter
 */
export function createPooledScalarEngine(model: Model, options: PooledEngineOptions): ScalarEngine {
  return new PooledScalarEngine(model, options, startThread);
}

/** The engine for so many threads: this one, or workers. Both give the same bits. */
export function createEngine(model: Model, options: PooledEngineOptions): Engine {
  return isSolo(options) ? createLocalEngine(model, options) : createPooledEngine(model, options);
}

/** As `createEngine`, of a model with a scalar head. */
export function createCritic(model: Model, options: PooledEngineOptions): ScalarEngine {
  return isSolo(options) ? createScalarEngine(model, options) : createPooledScalarEngine(model, options);
}

const soloBackends: readonly string[] = ['tensorflow', 'webgpu'];

/**
 * Whether this thread computes: always on TensorFlow, which has threads of its own inside every operation, and on WebGPU, where one
 * thread keeps the GPU busy and each worker would hold a copy of the model on it.
 */
function isSolo({ workers }: PooledEngineOptions): boolean {
  return workers === 1 || soloBackends.includes(tf.getBackend());
}
