/** What this machine can do, in words a user can paste into a report. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '@tensorflow/tfjs-core';
import { type BackendName, backendNames, initBackend, startBackend } from './backend.js';
import { coreCount } from './cores.js';
import { isNode } from './host.js';
import { nativeLoader } from './native/loader.js';
import { describeGpu } from './webgpu/prepare.js';

export interface DoctorReport {
  /** e.g. `Node v20.20.2` or the browser's user agent. */
  readonly runtime: string;
  readonly cores: number | undefined;
  /** Whether wasm SIMD works; without it the wasm back end is not used. */
  readonly simd: boolean;
  readonly tfjsVersion: string;
  /** The back end `initBackend()` chooses. */
  readonly chosen: BackendName;
  /**
   * Each back end, best first: whether it works, why not, how fast a matrix product is in GFLOP/s, on which device, and what
   * keeps one that works from being chosen by itself.
   */
  readonly backends: readonly {
    readonly name: BackendName;
    readonly problem?: string;
    readonly gflops?: number;
    /** Versions and device, where a back end has its own. */
    readonly details?: string;
  }[];
}

/** Size of the product that is timed: a few milliseconds on wasm, a second on cpu. */
const PROBE_SIZE = 256;

async function measureMatMul(): Promise<number> {
  const a = tf.fill([PROBE_SIZE, PROBE_SIZE], 0.5);
  const run = async (): Promise<number> => {
    const start = performance.now();
    const product: Tensor = tf.matMul(a, a, false, true);
    await product.data();
    product.dispose();
    return performance.now() - start;
  };
  const times: number[] = [];
  for (let i = 0; i < 4; i++) times.push(await run());
  a.dispose();
  return (2 * PROBE_SIZE ** 3) / Math.min(...times) / 1e6;
}

async function detailsOf(name: BackendName): Promise<{ details?: string }> {
  if (name === 'tensorflow') return { details: await nativeInWords() };
  return name === 'webgpu' ? { details: await gpuInWords() } : {};
}

async function nativeInWords(): Promise<string> {
  const { describeNative, isNativeOnGpu } = await nativeLoader();
  return isNativeOnGpu() ? describeNative() : `${describeNative()}: only when asked for by name`;
}

async function gpuInWords(): Promise<string> {
  const gpu = await describeGpu();
  if (typeof gpu === 'string') return gpu;
  return gpu.software ? `${gpu.name}, in software: only when asked for by name` : gpu.name;
}

/** Tries every back end in turn and measures those that work; leaves the chosen one running. */
export async function doctor(): Promise<DoctorReport> {
  const backends: DoctorReport['backends'][number][] = [];
  for (const name of backendNames) {
    const problem = await startBackend(name, true);
    if (problem !== undefined) backends.push({ name, problem });
    else backends.push({ name, gflops: await measureMatMul(), ...(await detailsOf(name)) });
  }
  const { backend } = await initBackend();
  return {
    runtime: isNode() ? `Node ${process.version}` : navigator.userAgent,
    cores: coreCount(),
    simd: backends.some(({ name, problem }) => name === 'wasm' && problem === undefined),
    tfjsVersion: tf.version_core,
    chosen: backend,
    backends,
  };
}

/** The report as lines of text. */
export function formatDoctorReport(report: DoctorReport): string {
  const lines = [
    `runtime      ${report.runtime}, ${report.cores ?? 'unknown number of'} cores`,
    `wasm SIMD    ${report.simd ? 'yes' : 'no'}`,
    `tfjs         ${report.tfjsVersion}`,
    ...report.backends.map(({ name, problem, gflops, details }) => {
      const mark = name === report.chosen ? '*' : ' ';
      const speed = `works, ${Number((gflops ?? 0).toPrecision(3))} GFLOP/s`;
      return `${mark} ${name.padEnd(11)}${problem ?? [speed, details].filter(Boolean).join(': ')}`;
    }),
    '* is used unless POSTTRAIN_BACKEND or an option says otherwise',
  ];
  return lines.join('\n');
}
