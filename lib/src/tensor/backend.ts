/** Which machine does the arithmetic. */
import * as tf from '@tensorflow/tfjs-core';
import { registerGradients } from './gradients.js';
import { isNode } from './host.js';
import { installNativeKernels } from './native/kernels.js';
import { nativeLoader } from './native/loader.js';
import { withoutErrorListeners } from './wasm/error-listeners.js';
import { installWasmKernels } from './wasm/install.js';
import { prepareWasm, wasmBinaryURL } from './wasm/prepare.js';
import { installWebgpuKernels } from './webgpu/install.js';
import { prepareWebgpu } from './webgpu/prepare.js';

/** Back ends, best first. */
export const backendNames = ['tensorflow', 'webgpu', 'wasm', 'cpu'] as const;
export type BackendName = (typeof backendNames)[number];

export interface BackendOptions {
  /**
   * A name, or `'auto'` for the best that works: tensorflow and webgpu where they have a GPU, else wasm. TensorFlow on a CPU must be
   * asked for: it trains faster than wasm, but samples small models more slowly. The environment variable `POSTTRAIN_BACKEND` is used
   * where this is absent (default `'auto'`).
   */
  readonly backend?: BackendName | 'auto';
  /**
   * For a page: the URL of `tfjs-backend-wasm-simd.wasm` in `@tensorflow/tfjs-backend-wasm/dist`, relative to the page (default:
   * the file of that name beside it). It cannot change once the back end runs. Node finds the file by itself.
   */
  readonly wasmPath?: string;
}

export interface BackendInfo {
  readonly backend: BackendName;
  /** Why each better back end was passed over; empty when the back end was asked for by name. */
  readonly skipped: Readonly<Partial<Record<BackendName, string>>>;
}

/** Makes a back end ready for `tf.setBackend`; returns why it cannot be used, or `undefined` when it can. */
type Preparation = (byName: boolean, options: BackendOptions) => Promise<string | undefined>;

async function prepareTensorflow(byName: boolean): Promise<string | undefined> {
  if (!isNode()) return 'needs Node';
  return (await nativeLoader()).loadNativeBinding(byName);
}

async function prepareCpu(): Promise<string | undefined> {
  // TensorFlow's binding brings it along; a second time it would warn for every kernel.
  if (tf.findBackendFactory('cpu') === null) await import('@tensorflow/tfjs-backend-cpu');
  return undefined;
}

const preparations: Record<BackendName, Preparation> = {
  tensorflow: prepareTensorflow,
  webgpu: prepareWebgpu,
  wasm: (_byName, { wasmPath }) => prepareWasm(wasmPath),
  cpu: prepareCpu,
};

/**
 * Starts a back end.
 * @param byName asked for by name: then a slow one will do, too
 * @returns why it cannot be used, or `undefined` when it is running
 */
export async function startBackend(
  name: BackendName,
  byName: boolean,
  options: BackendOptions = {},
): Promise<string | undefined> {
  const problem = await preparations[name](byName, options);
  if (problem !== undefined) return problem;
  const started = await withoutErrorListeners(() => tf.setBackend(name).catch(() => false));
  if (!started) return 'it was found but did not start';
  await tf.ready();
  registerGradients();
  if (name === 'cpu') useWithoutBanner();
  if (name === 'wasm') await installWasmKernels();
  if (name === 'tensorflow') installNativeKernels();
  if (name === 'webgpu') installWebgpuKernels();
  return undefined;
}

/** At its first use it advertises tfjs-node, which is not how a native back end is had here. */
function useWithoutBanner(): void {
  tf.env().set('IS_TEST', true);
  tf.scalar(0).dispose();
  tf.env().set('IS_TEST', false);
}

function requestedBackend(option: string | undefined): BackendName | 'auto' {
  const fromEnvironment = isNode() ? process.env['POSTTRAIN_BACKEND'] : undefined;
  const name = option ?? (fromEnvironment || 'auto');
  if (name === 'auto' || (backendNames as readonly string[]).includes(name))
    return name as BackendName | 'auto';
  const source = option === undefined ? 'POSTTRAIN_BACKEND' : 'backend';
  throw new Error(`${source} is "${name}"; choose one of auto, ${backendNames.join(', ')}`);
}

/**
 * Starts the arithmetic: call it once before anything that makes tensors; calling it again is cheap.
 * @throws when the name is unknown or that back end cannot run here, with the reason
 */
export async function initBackend(options: BackendOptions = {}): Promise<BackendInfo> {
  const requested = requestedBackend(options.backend);
  if (requested !== 'auto') {
    const problem = await startBackend(requested, true, options);
    if (problem !== undefined)
      throw new Error(
        `back end "${requested}" is not available: ${problem}. Use "auto" or "wasm", or run "posttrain doctor"`,
      );
    return { backend: requested, skipped: {} };
  }
  const skipped: Partial<Record<BackendName, string>> = {};
  for (const name of backendNames) {
    const problem = await startBackend(name, false, options);
    if (problem === undefined) return { backend: name, skipped };
    skipped[name] = problem;
  }
  throw new Error(
    `no back end works here: ${Object.entries(skipped)
      .map(([name, why]) => `${name}: ${why}`)
      .join('; ')}`,
  );
}

/** The options with which another thread starts the same back end. */
export function backendInUse(): BackendOptions {
  return { backend: tf.getBackend() as BackendName, wasmPath: wasmBinaryURL() };
}
