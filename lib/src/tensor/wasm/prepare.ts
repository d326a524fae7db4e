/** Makes tfjs's own WebAssembly back end ready to start. */
import * as tf from '@tensorflow/tfjs-core';
import { isNode } from '../host.js';
import { messageOf } from '../../message-of.js';

const FILE = 'tfjs-backend-wasm-simd.wasm';

let url: string | undefined;

/** The URL of the binary in use; `undefined` in Node, which finds it by itself. */
export function wasmBinaryURL(): string | undefined {
  return url;
}

/** Returns why the back end cannot be used, or `undefined` when it can. */
export async function prepareWasm(wasmPath: string | undefined): Promise<string | undefined> {
  const { setThreadsCount, setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  if (!(await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT'))) return 'this engine has no wasm SIMD';
  // Threads of the stock back end make small models slower; parallelism lives one level up. In a page that may share memory
  // tfjs would take its binary with threads even for one, and our kernels are compiled for memory that is not shared.
  setThreadsCount(1);
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (isNode()) return undefined;

  const found = new URL(wasmPath ?? url ?? FILE, baseURL()).href;
  if (found === url) return undefined;
  if (url !== undefined) return `it was started with ${url} already`;
  const problem = await downloadProblem(found);
  if (problem !== undefined) {
    return `${found} ${problem}. Serve ${FILE} of @tensorflow/tfjs-backend-wasm/dist and give its URL as initBackend({ wasmPath })`;
  }
  url = found;
  // One is used, but tfjs wants to hear of all three.
  setWasmPaths({
    'tfjs-backend-wasm.wasm': url,
    'tfjs-backend-wasm-simd.wasm': url,
    'tfjs-backend-wasm-threaded-simd.wasm': url,
  });
  return undefined;
}

/** What relative URLs are relative to: the page, or the file of a worker. */
function baseURL(): string {
  return typeof document === 'undefined' ? location.href : document.baseURI;
}

/** tfjs itself does not say which file failed, nor why. */
async function downloadProblem(from: string): Promise<string | undefined> {
  try {
    const response = await fetch(from, { credentials: 'same-origin' });
    if (!response.ok) return `answers with status ${response.status}`;
    const magic = new Uint8Array(await response.arrayBuffer()).subarray(0, 4);
    return String(magic) === '0,97,115,109' ? undefined : 'is no WebAssembly file';
  } catch (error) {
    return `cannot be loaded (${messageOf(error)})`;
  }
}
