/** Runs a WGSL program in tfjs's command queue. tfjs's own `runWebGPUProgram` has one output and nothing in place. */
import { env, type TensorInfo } from '@tensorflow/tfjs-core';
import { limitIdleBuffers } from './buffer-pool.js';
import { type Buffer, gpu, markChanged, type Pipeline } from './device.js';

/** Invocations of one workgroup, unless a program says otherwise. */
const WORKGROUP = 256;

export interface Program {
  /** Unlike that of any other source: the compiled program is kept under it. */
  readonly name: string;
  /** Invocations in a workgroup (default 256: the most every device has). */
  readonly width?: number;
  /** Shared memory and functions. */
  readonly declarations?: string;
  /** Body of the entry point: sees `group`, `lane`, `WIDTH`, the bound arrays by name and the numbers as `size.NAME`. */
  readonly body: string;
}

/** A tensor as a program sees it: an array of `element` (default f32). */
export interface Binding {
  readonly tensor: TensorInfo;
  readonly access: 'read' | 'read_write';
  readonly element: string;
}

export const reads = (tensor: TensorInfo, element = 'f32'): Binding => ({ tensor, access: 'read', element });
export const readsInts = (tensor: TensorInfo): Binding => reads(tensor, 'i32');
export const writes = (tensor: TensorInfo, element = 'f32'): Binding => ({
  tensor,
  access: 'read_write',
  element,
});
/** Written in place: what was in it can be read, and what was read of it before is out of date. */
export function updates(tensor: TensorInfo): Binding {
  gpu().uploadToGPU(tensor.dataId);
  markChanged(tensor);
  return writes(tensor);
}

/** Numbers a program is given; counts as u32, the rest as f32. */
interface Numbers {
  readonly counts?: Readonly<Record<string, number>>;
  readonly floats?: Readonly<Record<string, number>>;
}

const COPY_DST_AND_UNIFORM = 0x48;

const pipelines = new WeakMap<object, Map<string, Pipeline>>();

function source(program: Program, bindings: Readonly<Record<string, Binding>>, numbers: Numbers): string {
  const fields = [
    ...Object.keys(numbers.counts ?? {}).map((name) => `${name}: u32`),
    ...Object.keys(numbers.floats ?? {}).map((name) => `${name}: f32`),
  ];
  const arrays = Object.entries(bindings).map(
    ([name, { access, element }], i) =>
      `@group(0) @binding(${i + 1}) var<storage, ${access}> ${name}: array<${element}>;`,
  );
  return `
    const WIDTH = ${program.width ?? WORKGROUP}u;
    struct Sizes { ${fields.join(', ')} }
    @group(0) @binding(0) var<uniform> size: Sizes;
    ${arrays.join('\n')}
    ${program.declarations ?? ''}
    @compute @workgroup_size(WIDTH)
    fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(num_workgroups) extent: vec3<u32>,
            @builtin(local_invocation_index) lane: u32) {
      let group = at.x + extent.x * at.y;
      if (group >= size.groups) { return; }
      ${program.body}
    }`;
}

function pipelineOf(
  program: Program,
  bindings: Readonly<Record<string, Binding>>,
  numbers: Numbers,
): Pipeline {
  const { device } = gpu();
  const compiled = pipelines.get(device) ?? new Map<string, Pipeline>();
  pipelines.set(device, compiled);
  let pipeline = compiled.get(program.name);
  if (pipeline === undefined) {
    const code = source(program, bindings, numbers);
    const module = device.createShaderModule({ code, label: program.name });
    const compute = { module, entryPoint: 'main' };
    pipeline = device.createComputePipeline({ label: program.name, layout: 'auto', compute });
    compiled.set(program.name, pipeline);
  }
  return pipeline;
}

function uniformBuffer({ counts = {}, floats = {} }: Numbers): Buffer {
  const [integers, reals] = [Object.values(counts), Object.values(floats)];
  const data = new ArrayBuffer(Math.ceil((integers.length + reals.length) / 4) * 16);
  new Uint32Array(data).set(integers);
  new Float32Array(data).set(reals, integers.length);
  const backend = gpu();
  const buffer = backend.bufferManager.acquireBuffer(data.byteLength, COPY_DST_AND_UNIFORM);
  backend.device.queue.writeBuffer(buffer, 0, data);
  backend.uniformPendingDisposal.push(buffer);
  return buffer;
}

/**
 * Queues `groups` workgroups of a program. Bound arrays must all be used by it, and one tensor must not be bound twice if it
 * is written.
 */
export function launch(
  program: Program,
  groups: number,
  bindings: Readonly<Record<string, Binding>>,
  { counts, floats }: Numbers = {},
): void {
  if (groups === 0) return;
  const backend = gpu();
  const tensors = Object.values(bindings).map(({ tensor }) => tensor);
  for (const { dataId } of tensors) {
    backend.uploadToGPU(dataId);
    // Buffers of tensors that are disposed of from here on stay until the queue has been submitted.
    backend.commandQueueOwnedIds.add(dataId);
  }
  const numbers = { counts: { groups, ...counts }, floats };
  const pipeline = pipelineOf(program, bindings, numbers);
  const buffers = [
    uniformBuffer(numbers),
    ...tensors.map(({ dataId }) => backend.tensorMap.get(dataId).resource),
  ];
  const bindGroup = backend.device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  backend.ensureCommandEncoderReady();
  backend.computePassEncoder ??= backend.commandEncoder.beginComputePass();
  const pass = backend.computePassEncoder;
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  const columns = Math.min(groups, backend.device.limits.maxComputeWorkgroupsPerDimension);
  pass.dispatchWorkgroups(columns, Math.ceil(groups / columns));
  backend.dispatchCountInPass += 1;
  if (backend.dispatchCountInPass >= env().getNumber('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE')) {
    backend.endComputePassEncoder();
    backend.submitQueue();
    limitIdleBuffers();
  }
}

/** Queues one invocation an element. The body sees its number as `i`. */
export function launchEach(
  name: string,
  body: string,
  elements: number,
  bindings: Readonly<Record<string, Binding>>,
  numbers: Numbers = {},
): void {
  const program = {
    name,
    body: `
      let i = group * WIDTH + lane;
      if (i >= size.elements) { return; }
      ${body}`,
  };
  launch(program, Math.ceil(elements / WORKGROUP), bindings, {
    ...numbers,
    counts: { elements, ...numbers.counts },
  });
}

/** Functions that combine one number of every lane of a workgroup; to be called by all lanes at once. */
export const REDUCTIONS = `
  var<workgroup> lanes: array<f32, WIDTH>;
  fn sumOfLanes(value: f32, lane: u32) -> f32 {
    lanes[lane] = value;
    for (var width = WIDTH / 2u; width > 0u; width /= 2u) {
      workgroupBarrier();
      if (lane < width) { lanes[lane] += lanes[lane + width]; }
    }
    workgroupBarrier();
    let sum = lanes[0];
    workgroupBarrier();
    return sum;
  }
  fn largestOfLanes(value: f32, lane: u32) -> f32 {
    lanes[lane] = value;
    for (var width = WIDTH / 2u; width > 0u; width /= 2u) {
      workgroupBarrier();
      if (lane < width) { lanes[lane] = max(lanes[lane], lanes[lane + width]); }
    }
    workgroupBarrier();
    let largest = lanes[0];
    workgroupBarrier();
    return largest;
  }
`;
