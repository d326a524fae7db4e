/** Which machine does the arithmetic. */
import * as tf from '@tensorflow/tfjs-core';
import { registerGradients } from './gradients.js';
import { isNode } from './host.js';
import { installWasmKernels } from './wasm/install.js';

/** Back ends, best first. */
export const backendNames = ['tensorflow', 'webgpu', 'wasm', 'cpu'] as const;
export type BackendName = (typeof backendNames)[number];

export interface BackendInfo {
  readonly backend: BackendName;
  /** Why each better back end was passed over; empty when the back end was asked for by name. */
  readonly skipped: Readonly<Partial<Record<BackendName, string>>>;
}

/** Names of packages this library does not depend on: loaded only where the user has installed them. */
const NATIVE_PACKAGES = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'];
const WEBGPU_BACKEND_PACKAGE = '@tensorflow/tfjs-backend-webgpu';
const WEBGPU_DEVICE_PACKAGE = 'webgpu';

interface GpuAdapter {
  readonly isFallbackAdapter?: boolean;
  readonly info?: {
    readonly isFallbackAdapter?: boolean;
    readonly vendor: string;
    readonly description: string;
  };
}
interface Gpu {
  requestAdapter(): Promise<GpuAdapter | null>;
}

/** Makes a back end ready for `tf.setBackend`; returns why it cannot be used, or `undefined` when it can. */
type Preparation = () => Promise<string | undefined>;

const message = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);

async function prepareTensorflow(): Promise<string | undefined> {
  if (!isNode()) return 'needs Node';
  const failures: string[] = [];
  for (const name of NATIVE_PACKAGES) {
    try {
      await import(name);
      return undefined;
    } catch (error) {
      const missing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
      failures.push(missing ? `${name} is not installed` : `${name} does not load: ${message(error)}`);
    }
  }
  return failures.join('; ');
}

/** The browser's WebGPU, or Dawn through the `webgpu` package where that is installed. */
async function findGpu(): Promise<Gpu | undefined> {
  const scope = globalThis as { navigator?: { gpu?: Gpu } };
  if (scope.navigator?.gpu || !isNode()) return scope.navigator?.gpu;
  const dawn = (await import(WEBGPU_DEVICE_PACKAGE)) as { create(flags: string[]): Gpu; globals: object };
  const gpu = dawn.create([]);
  // The tfjs back end looks for these when it is imported.
  Object.assign(globalThis, dawn.globals);
  Object.defineProperty(globalThis, 'navigator', { value: { ...scope.navigator, gpu }, configurable: true });
  return gpu;
}

async function prepareWebgpu(): Promise<string | undefined> {
  try {
    const adapter = await (await findGpu())?.requestAdapter();
    if (!adapter) return 'no WebGPU adapter';
    const description = `${adapter.info?.vendor ?? ''} ${adapter.info?.description ?? ''}`.trim();
    const software = adapter.isFallbackAdapter || adapter.info?.isFallbackAdapter;
    if (software || /swiftshader|llvmpipe|lavapipe|software/i.test(description))
      return `only a software adapter (${description}), slower than wasm`;
    await import(WEBGPU_BACKEND_PACKAGE);
    return undefined;
  } catch (error) {
    const missing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    return missing
      ? `${WEBGPU_BACKEND_PACKAGE} or ${WEBGPU_DEVICE_PACKAGE} is not installed`
      : message(error);
  }
}

async function prepareWasm(): Promise<string | undefined> {
  const { setThreadsCount } = await import('@tensorflow/tfjs-backend-wasm');
  if (!(await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT'))) return 'this engine has no wasm SIMD';
  // Threads of the stock back end make small models slower; parallelism lives one level up.
  setThreadsCount(1);
  return undefined;
}

async function prepareCpu(): Promise<string | undefined> {
  await import('@tensorflow/tfjs-backend-cpu');
  return undefined;
}

const preparations: Record<BackendName, Preparation> = {
  tensorflow: prepareTensorflow,
  webgpu: prepareWebgpu,
  wasm: prepareWasm,
  cpu: prepareCpu,
};

/** Starts a back end; returns why it cannot be used, or `undefined` when it is running. */
export async function startBackend(name: BackendName): Promise<string | undefined> {
  const problem = await preparations[name]();
  if (problem !== undefined) return problem;
  const started = await tf.setBackend(name).catch(() => false);
  if (!started) return 'it was found but did not start';
  await tf.ready();
  registerGradients();
  if (name === 'wasm') await installWasmKernels();
  return undefined;
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
 * @param options.backend a name, or `'auto'` for the best that works: tensorflow, webgpu (real GPUs only), wasm. The
 *   environment variable `POSTTRAIN_BACKEND` is used where the option is absent (default `'auto'`).
 * @throws when the name is unknown or that back end cannot run here, with the reason
 */
export async function initBackend(
  options: { readonly backend?: BackendName | 'auto' } = {},
): Promise<BackendInfo> {
  const requested = requestedBackend(options.backend);
  if (requested !== 'auto') {
    const problem = await startBackend(requested);
    if (problem !== undefined)
      throw new Error(
        `back end "${requested}" is not available: ${problem}. Use "auto" or "wasm", or run "posttrain doctor"`,
      );
    return { backend: requested, skipped: {} };
  }
  const skipped: Partial<Record<BackendName, string>> = {};
  for (const name of backendNames) {
    const problem = await startBackend(name);
    if (problem === undefined) return { backend: name, skipped };
    skipped[name] = problem;
  }
  throw new Error(
    `no back end works here: ${Object.entries(skipped)
      .map(([name, why]) => `${name}: ${why}`)
      .join('; ')}`,
  );
}
