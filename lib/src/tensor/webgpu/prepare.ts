/** Finds a GPU for tfjs's WebGPU back end: the browser's own, or Dawn's in Node. */
import * as tf from '@tensorflow/tfjs-core';
import { isNode } from '../host.js';

/** Names of packages this library does not depend on: loaded only where the user has installed them. */
const BACKEND_PACKAGE = '@tensorflow/tfjs-backend-webgpu';
const DEVICE_PACKAGE = 'webgpu';

interface AdapterInfo {
  readonly vendor: string;
  readonly architecture?: string;
  readonly description: string;
  readonly isFallbackAdapter?: boolean;
}
interface Adapter {
  readonly isFallbackAdapter?: boolean;
  readonly info?: AdapterInfo;
}
interface Gpu {
  requestAdapter(options: { powerPreference: 'high-performance' }): Promise<Adapter | null>;
}

/** The GPU that WebGPU would use. */
export interface GpuDescription {
  /** In the driver's words, e.g. `nvidia: NVIDIA GeForce RTX 3060`. */
  readonly name: string;
  /** Computed on the CPU (SwiftShader, llvmpipe): right, but slower than wasm. */
  readonly software: boolean;
}

/** The browser's WebGPU, or Dawn through the `webgpu` package where that is installed. */
async function findGpu(): Promise<Gpu | undefined> {
  const scope = globalThis as { navigator?: { gpu?: Gpu } };
  if (scope.navigator?.gpu || !isNode()) return scope.navigator?.gpu;
  const dawn = (await import(DEVICE_PACKAGE)) as { create(flags: string[]): Gpu; globals: object };
  const gpu = dawn.create([]);
  // The tfjs back end looks for these when it is imported.
  Object.assign(globalThis, dawn.globals);
  Object.defineProperty(globalThis, 'navigator', { value: { ...scope.navigator, gpu }, configurable: true });
  return gpu;
}

function describe({ info, isFallbackAdapter }: Adapter): GpuDescription {
  const words = [info?.vendor, info?.description || info?.architecture].filter(Boolean).join(': ');
  const software =
    isFallbackAdapter || info?.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|software/i.test(words);
  return { name: words || 'unnamed', software: Boolean(software) };
}

let found: Promise<GpuDescription | string> | undefined;

/** The GPU, or why there is none; looked for once. */
export function describeGpu(): Promise<GpuDescription | string> {
  found ??= (async (): Promise<GpuDescription | string> => {
    try {
      const adapter = await (await findGpu())?.requestAdapter({ powerPreference: 'high-performance' });
      if (!adapter) return 'no WebGPU adapter: no GPU, or no driver for it';
      const registered = Boolean(tf.findBackendFactory('webgpu') as unknown);
      // Nothing is found by name in a bundle.
      if (!registered && !isNode()) return `a page must itself import ${BACKEND_PACKAGE}`;
      if (!registered) await import(BACKEND_PACKAGE);
      return describe(adapter);
    } catch (error) {
      const missing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
      if (missing) return `${BACKEND_PACKAGE} or ${DEVICE_PACKAGE} is not installed`;
      return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    }
  })();
  return found;
}

/**
 * Makes the back end ready to be started.
 * @param byName asked for by name: then a GPU in software will do, too
 * @returns why it cannot be used, or `undefined` when it can
 */
export async function prepareWebgpu(byName: boolean): Promise<string | undefined> {
  const gpu = await describeGpu();
  if (typeof gpu === 'string') return gpu;
  if (gpu.software && !byName)
    return `only a software adapter (${gpu.name}), slower than wasm; used when asked for by name`;
  return undefined;
}
