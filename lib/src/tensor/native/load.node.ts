/** Loads TensorFlow's N-API binding, which registers the back end `tensorflow`. */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import * as tf from '@tensorflow/tfjs-core';
import { registerGraphs } from '../as-graph.js';
import { keepGradients } from '../gradients.js';
import { type DeferrableBackend, DeferredOperations } from './deferred.js';
import { findNativePackages } from './place.node.js';
import { type GraphBinding, GraphLoader } from './saved-model.node.js';

/** What the `tensorflow` back end has beside the interface of all back ends. */
interface NativeBackend extends DeferrableBackend {
  readonly isUsingGpuDevice: boolean;
  readonly binding: DeferrableBackend['binding'] & GraphBinding & { readonly TF_Version: string };
}

const require = createRequire(import.meta.url);
let loadedFrom: string | undefined;

/** Measured: `npm run bench -- backends`. */
const ON_CPU =
  'on a CPU it trains faster than wasm but samples models of up to some ten million parameters more slowly: only when asked for by name';

/**
 * Loads the best binding that works, once; returns why there is none, or `undefined` when it is loaded.
 * @param byName asked for by name: else only a GPU will do
 */
export function loadNativeBinding(byName: boolean): string | undefined {
  // It keeps one table of tensors a process, whichever thread asks: two threads would free each other's.
  if (!isMainThread) return 'TensorFlow runs in the main thread, with threads of its own';
  if (findNativePackages().length === 0) return 'not installed; "posttrain native" does it';
  const folders = findNativePackages(byName ? undefined : ['gpu']);
  if (folders.length === 0) return ON_CPU;
  const problem = loadedFrom === undefined ? requireFirst(folders) : undefined;
  return problem ?? (byName || isNativeOnGpu() ? undefined : ON_CPU);
}

/** Whether the binding that is loaded computes on a GPU. */
export function isNativeOnGpu(): boolean {
  return (tf.findBackend('tensorflow') as unknown as NativeBackend).isUsingGpuDevice;
}

/** Loads the first that works; returns why none does. */
function requireFirst(folders: readonly string[]): string | undefined {
  const failures: string[] = [];
  for (const folder of folders) {
    try {
      requireBinding(folder);
      runGraphs(folder);
      loadedFrom = folder;
      return undefined;
    } catch (error) {
      failures.push(`${folder} does not load: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  return `${failures.join('; ')}; "posttrain native" repairs it`;
}

/** E.g. `TensorFlow 2.21.0 through @tensorflow/tfjs-node 4.22.0, CPU, 2 threads`, of the active back end. */
export function describeNative(): string {
  const { binding, isUsingGpuDevice } = tf.backend() as unknown as NativeBackend;
  const { name, version } = require(`${loadedFrom}/package.json`) as { name: string; version: string };
  const threads = process.env['TF_NUM_INTRAOP_THREADS'] ?? availableParallelism();
  return `TensorFlow ${binding.TF_Version} through ${name} ${version}, ${isUsingGpuDevice ? 'GPU' : 'CPU'}, ${threads} threads`;
}

/** Lets the back end run operations as graphs. Not on a GPU: a session takes its inputs and hands out its results in main memory. */
function runGraphs(folder: string): void {
  const backend = tf.findBackend('tensorflow') as unknown as NativeBackend;
  if (backend.isUsingGpuDevice) return;
  const loader = new GraphLoader(folder, backend.binding);
  const deferred = new DeferredOperations(backend, (graph) => loader.load(graph));
  registerGraphs('tensorflow', (compute) => deferred.run(compute));
}

function requireBinding(folder: string): void {
  restoreUtil(require('node:util') as Record<string, unknown>);
  // Else the library reports its instruction sets on standard error.
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2';
  // By itself TensorFlow takes oneDNN's products only on some CPUs; they were faster on one of the others, too (NOTES.md of the benchmarks).
  process.env['TF_ENABLE_ONEDNN_OPTS'] ??= '1';
  // The package brings tfjs's cpu back end with it and registers it a second time, with a warning for every kernel.
  const production = tf.env().getBool('PROD');
  tf.env().set('PROD', true);
  try {
    keepGradients(() => require(folder));
  } finally {
    tf.env().set('PROD', production);
  }
}

/** The binding's JavaScript calls two functions that Node 23 removed from `util`. */
export function restoreUtil(util: Record<string, unknown>): void {
  util['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  util['isArray'] ??= Array.isArray;
}
