import type { Model } from '../model/index.js';
import { createLocalEngine } from './local.js';
import { createPooledEngine, type PooledEngineOptions } from './pooled.node.js';
import type { Engine } from './types.js';

/** The engine for so many threads: this one, or workers. Both give the same bits. */
export function createEngine(model: Model, options: PooledEngineOptions): Engine {
  return options.workers === 1 ? createLocalEngine(model, options) : createPooledEngine(model, options);
}
