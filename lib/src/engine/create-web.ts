/** Engines for a page. */
import { getBackend } from '@tensorflow/tfjs-core';
import type { Model } from '../model/index.js';
import { createLocalEngine } from './local.js';
import { PooledEngine, type PooledEngineOptions } from './pooled.js';
import { checkWorkers } from './pooled-weights.js';
import type { Engine } from './types.js';
import { startWebWorker } from './web-worker-port.js';

export interface WebEngineOptions extends PooledEngineOptions {
  /**
   * Starts one Web Worker that runs `posttrain/worker`. Needed where the bundler does not find the default by itself, which is
   * `web-worker.js` beside the library's file.
   */
  readonly createWorker?: () => Worker;
}

export interface WebEngine {
  readonly engine: Engine;
  /** Web Workers that compute; 0 = the page's own thread does. */
  readonly workers: number;
  /** Why there are no Web Workers, and what to do about it if anything can be done. */
  readonly problem?: string;
}

const defaultWorker = (): Worker =>
  new Worker(new URL('./web-worker.js', import.meta.url), { type: 'module' });

/**
 * The engine of a page: Web Workers with the active tfjs back end where the page is cross-origin isolated and computes on the CPU,
 * else the page's own thread. All give the same bits; with workers the page stays free for its user.
 *
 * The caller owns the model; `dispose` ends the workers and frees what the engine added. The browser ends them with the page.
 * @throws RangeError when `workers` is not a whole number from 1 on
 */
export function createWebEngine(
  model: Model,
  { createWorker = defaultWorker, ...options }: WebEngineOptions,
): WebEngine {
  checkWorkers(options.workers);
  const problem = webWorkersProblem();
  if (problem !== undefined) return { engine: createLocalEngine(model, options), workers: 0, problem };
  const engine = new PooledEngine(model, options, startWebWorker(createWorker));
  return { engine, workers: options.workers };
}

/** Workers share the weights, and only an isolated page may share memory. */
function webWorkersProblem(): string | undefined {
  if (getBackend() === 'webgpu')
    return 'one thread keeps the GPU busy, and every worker would need a copy of the model on it';
  if (typeof Worker === 'undefined')
    return 'there are no Web Workers here; in Node use createPooledEngine of posttrain/node';
  if (!globalThis.crossOriginIsolated)
    return 'the page is not cross-origin isolated; serve it with the headers "Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp"';
  return undefined;
}
