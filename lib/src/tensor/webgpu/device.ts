/** Our programs inside the running WebGPU back end: they share its device, queue and buffers. */
import * as tf from '@tensorflow/tfjs-core';
import type { TensorInfo } from '@tensorflow/tfjs-core';

/** WebGPU's own objects, as far as they are needed. */
export interface Buffer {
  readonly size: number;
  destroy(): void;
}
export interface Pipeline {
  getBindGroupLayout(index: number): object;
}
interface ComputePass {
  setPipeline(pipeline: Pipeline): void;
  setBindGroup(index: number, group: object): void;
  dispatchWorkgroups(x: number, y: number): void;
}
interface Device {
  readonly limits: {
    readonly maxComputeWorkgroupsPerDimension: number;
    readonly maxComputeWorkgroupStorageSize: number;
  };
  readonly queue: { writeBuffer(buffer: Buffer, offset: number, data: ArrayBuffer): void };
  createShaderModule(description: { code: string; label: string }): object;
  createComputePipeline(description: {
    label: string;
    layout: 'auto';
    compute: { module: object; entryPoint: string };
  }): Pipeline;
  createBindGroup(description: {
    layout: object;
    entries: { binding: number; resource: { buffer: Buffer } }[];
  }): object;
}

/** What tfjs keeps of a tensor: its values here, there, or both. */
interface TensorData {
  values: unknown;
  readonly resource: Buffer;
  /** Set by us: written in place, so that a copy read earlier is worth nothing. */
  changes?: boolean;
}

/** tfjs's back end, whose state `runWebGPUProgram` keeps and so must we. */
interface Backend {
  readonly device: Device;
  readonly tensorMap: { get(dataId: object): TensorData };
  readonly bufferManager: {
    readonly freeBuffers: ReadonlyMap<string, Buffer[]>;
    readonly numBytesUsed: number;
    numBytesAllocated: number;
    numFreeBuffers: number;
    acquireBuffer(size: number, usage: number): Buffer;
  };
  readonly commandQueueOwnedIds: WeakSet<object>;
  readonly uniformPendingDisposal: Buffer[];
  readonly commandEncoder: { beginComputePass(): ComputePass };
  computePassEncoder: ComputePass | null;
  dispatchCountInPass: number;
  ensureCommandEncoderReady(): void;
  endComputePassEncoder(): void;
  submitQueue(): void;
  uploadToGPU(dataId: object): void;
  makeTensorInfo(shape: number[], dtype: tf.DataType, values?: Float32Array): TensorInfo;
  disposeData(dataId: object): boolean;
  refCount(dataId: object): number;
  incRef(dataId: object): void;
  convertAndCacheOnCPU(dataId: object, values: unknown): unknown;
}

export const gpu = (): Backend => tf.backend() as unknown as Backend;

/** A new tensor; without values it holds whatever the memory held. */
export function makeOutput(shape: number[], values?: Float32Array): TensorInfo {
  return gpu().makeTensorInfo(shape, 'float32', values);
}

export const like = (tensor: TensorInfo): TensorInfo => makeOutput(tensor.shape);

/** Frees what a kernel made for itself. */
export function release(...tensors: TensorInfo[]): void {
  for (const { dataId } of tensors) gpu().disposeData(dataId);
}

/** A second tensor over the same values. */
export function share(tensor: TensorInfo): TensorInfo {
  gpu().incRef(tensor.dataId);
  return { ...tensor };
}

/** Whether nothing else looks at a tensor's values, so that they may be overwritten. */
export function isUnshared(tensor: TensorInfo): boolean {
  return gpu().refCount(tensor.dataId) === 1;
}

/** Forgets what was read of a tensor that is about to be written in place. */
export function markChanged({ dataId }: TensorInfo): void {
  const data = gpu().tensorMap.get(dataId);
  data.values = null;
  data.changes = true;
}

/** tfjs keeps every value it reads; of tensors that change in place it must not. Does nothing the second time. */
export function readChangesAfresh(): void {
  const backend = gpu();
  if (Object.hasOwn(backend, 'convertAndCacheOnCPU')) return;
  const cache = backend.convertAndCacheOnCPU.bind(backend);
  backend.convertAndCacheOnCPU = (dataId, values) =>
    backend.tensorMap.get(dataId).changes ? values : cache(dataId, values);
}
