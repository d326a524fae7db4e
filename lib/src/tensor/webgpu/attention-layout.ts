/**
 * How causal attention is laid out on WebGPU (Dao et al. 2022, "FlashAttention"): an invocation owns a query, or in the gradient of
 * keys and values a key, and keeps its vectors in registers; the other side passes by in blocks through shared memory.
 */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { gpu } from './device.js';
import type { Program } from './launch.js';

/** Queries or keys of one workgroup. */
export const TILE = 64;
/** Positions that pass by at a time: more than a few only cost shared memory. */
const LARGEST_BLOCK = 32;

export type AttentionInputs = Record<'q' | 'k' | 'v' | 'starts', TensorInfo>;

/** How the vectors of one head are cut up: as four floats at a time where the head size allows it. */
export interface Layout {
  readonly element: string;
  /** Elements of a vector. */
  readonly elements: number;
  /** Positions in a block. */
  readonly block: number;
}

export function layoutOf(headDim: number): Layout {
  const [element, elements] = headDim % 4 === 0 ? ['vec4<f32>', headDim / 4] : ['f32', headDim];
  const fits = Math.floor(gpu().device.limits.maxComputeWorkgroupStorageSize / (2 * headDim * 4));
  return { element, elements, block: Math.max(1, Math.min(LARGEST_BLOCK, fits)) };
}

/** A program of this name for one layout; `left` and `right` are the shared halves of a block. */
export function attentionProgram(name: string, { element, elements, block }: Layout, body: string): Program {
  const product = element === 'f32' ? 'a * b' : 'dot(a, b)';
  return {
    name: `${name} ${elements} ${element} ${block}`,
    width: TILE,
    declarations: `
      const ELEMENTS = ${elements}u;
      const BLOCK = ${block}u;
      alias Vector = array<${element}, ELEMENTS>;
      var<workgroup> left: array<${element}, ELEMENTS * BLOCK>;
      var<workgroup> right: array<${element}, ELEMENTS * BLOCK>;
      fn product(a: ${element}, b: ${element}) -> f32 { return ${product}; }`,
    body: `
      let tile = group % size.tiles;
      let head = (group / size.tiles) % size.tileHeads;
      let batch = group / (size.tiles * size.tileHeads);
      let start = u32(starts[batch]);
      let position = tile * WIDTH + lane;
      let isReal = position >= start && position < size.length;
      ${body}`,
  };
}

/** Where a vector begins, in elements. */
export const at = (position: string, heads: string, head: string): string =>
  `((batch * size.length + ${position}) * size.${heads} + ${head}) * ELEMENTS`;

/** Brings the keys and values from `first` on into shared memory; all lanes do it together. */
export const LOAD_KEYS: string = `
  workgroupBarrier();
  for (var i = lane; i < BLOCK * ELEMENTS; i += WIDTH) {
    let other = first + i / ELEMENTS;
    if (other < size.length) {
      let origin = ${at('other', 'keyValueHeads', 'keyHead')} + i % ELEMENTS;
      left[i] = k[origin];
      right[i] = v[origin];
    }
  }
  workgroupBarrier();`;

/** Every block of keys that some query of the tile sees; each query then skips the keys that it does not see. */
export const FOR_EACH_BLOCK_OF_KEYS = `
  let keyHead = head * size.keyValueHeads / size.heads;
  let end = min((tile + 1u) * WIDTH, size.length);
  for (var first = start; first < end; first += BLOCK)`;
export const FOR_EACH_SEEN_KEY = `
  let seen = select(0u, min(BLOCK, position + 1u - min(first, position + 1u)), isReal);
  for (var j = 0u; j < seen; j++)`;

/** The numbers of both passes. */
export function sizesOf({ q, k }: AttentionInputs): {
  batch: number;
  headDim: number;
  counts: { length: number; heads: number; keyValueHeads: number; tiles: number; queries: number };
  floats: { scale: number };
} {
  const [batch, length, heads, headDim] = q.shape as [number, number, number, number];
  return {
    batch,
    headDim,
    counts: {
      length,
      heads,
      keyValueHeads: k.shape[2] as number,
      tiles: Math.ceil(length / TILE),
      queries: batch * heads * length,
    },
    floats: { scale: 1 / Math.sqrt(headDim) },
  };
}
