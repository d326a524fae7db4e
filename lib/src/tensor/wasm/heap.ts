/** Our kernels inside the running wasm back end: they share its memory and read and write its tensors in place. */
import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '@tensorflow/tfjs-core';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import { isNode } from '../host.js';
import { fusedKernelsBinary, kernelsBinary } from '../kernels-binary.js';
import type { Address, KernelExports } from './exports.js';

/** tfjs's Emscripten module, as far as it is needed. Its memory may grow, but addresses in it stay valid. */
interface EmscriptenModule {
  readonly asm: { readonly memory: WebAssembly.Memory };
  _malloc(bytes: number): number;
  _free(address: Address): void;
}

let kernels: KernelExports | undefined;
let scratchAddress: Address = 0;
let scratchSize = 0;

const backend = (): BackendWasm => tf.backend() as BackendWasm;
const emscripten = (): EmscriptenModule => backend().wasm as unknown as EmscriptenModule;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * The kernels with fused multiply-adds where the engine takes them, else the plain ones. Both give the same bits on every thread
 * of a machine; between them, and between machines that fuse and that do not, last bits differ.
 */
function kernelsForThisEngine(): Uint8Array<ArrayBuffer> {
  const fused = bytesOf(fusedKernelsBinary);
  if (WebAssembly.validate(fused)) return fused;
  // Node 20 knows relaxed SIMD, as later versions do, but takes it only when asked
  if (isNode()) process.getBuiltinModule('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
  return WebAssembly.validate(fused) ? fused : bytesOf(kernelsBinary);
}

/** Compiles the kernels against the back end's memory; does nothing the second time. */
export async function loadKernels(): Promise<void> {
  if (kernels) return;
  const imports = { env: { memory: emscripten().asm.memory } };
  const { instance } = await WebAssembly.instantiate(kernelsForThisEngine(), imports);
  kernels = instance.exports as unknown as KernelExports;
}

/** The kernels; only called from kernels that `installWasmKernels` registered. */
export function run(): KernelExports {
  return kernels as KernelExports;
}

/** Where a tensor's values lie. Valid for the tensor's lifetime. */
export function addressOf(tensor: TensorInfo): Address {
  return backend().dataIdMap.get(tensor.dataId).memoryOffset;
}

/**
 * From this size on the heap's allocator takes a request for a negative one: it gives memory back to the system and hands out an
 * address in what is left.
 */
const TOO_LARGE = 2 ** 31;

/** A new tensor; without values it holds whatever the memory held. Throws when the heap is full. */
export function makeOutput(
  shape: number[],
  dtype: tf.DataType = 'float32',
  values?: Float32Array,
): TensorInfo {
  const full = `out of memory: the wasm heap has no room for a tensor of shape [${shape.join(', ')}]`;
  if (tf.util.sizeFromShape(shape) * tf.util.bytesPerElement(dtype) >= TOO_LARGE) throw new Error(full);
  const output = backend().makeOutput(shape, dtype, undefined, values);
  // tfjs does not ask whether there was room: such a tensor lies at address 0, over the back end's own data.
  if (addressOf(output) === 0) {
    backend().disposeData(output.dataId);
    throw new Error(full);
  }
  return output;
}

/** A second tensor over the same values. */
export function share(tensor: TensorInfo, shape: number[] = tensor.shape): TensorInfo {
  backend().incRef(tensor.dataId);
  return { dataId: tensor.dataId, shape, dtype: tensor.dtype };
}

/** Whether nothing else looks at a tensor's values, so that they may be overwritten. */
export function isUnshared(tensor: TensorInfo): boolean {
  return backend().refCount(tensor.dataId) === 1;
}

/** Memory that stays until it is released. Throws when the heap is full. */
export function allocate(bytes: number): Address {
  // `>>> 0`: addresses above 2 GB come back negative
  const address = bytes < TOO_LARGE ? emscripten()._malloc(bytes) >>> 0 : 0;
  if (address === 0) throw new Error(`out of memory: the wasm heap has no ${bytes} bytes left`);
  return address;
}

export function release(address: Address): void {
  emscripten()._free(address);
}

/** A view of floats in memory; use it at once, it is detached when the memory grows. */
export function floatsAt(address: Address, count: number): Float32Array {
  return new Float32Array(emscripten().asm.memory.buffer, address, count);
}

export function intsAt(address: Address, count: number): Int32Array {
  return new Int32Array(emscripten().asm.memory.buffer, address, count);
}

export function doublesAt(address: Address, count: number): Float64Array {
  return new Float64Array(emscripten().asm.memory.buffer, address, count);
}

/** Working memory for one kernel call; its contents are lost at the next. */
export function scratch(bytes: number): Address {
  if (bytes > scratchSize) {
    release(scratchAddress);
    [scratchAddress, scratchSize] = [0, 0];
    const size = Math.ceil(bytes * 1.25);
    scratchAddress = allocate(size);
    scratchSize = size;
  }
  return scratchAddress;
}
