/** What rows of a key-value cache begin with, as the kernels take it. */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import type { Address } from './exports.js';
import { addressOf } from './heap.js';

/** The keys and values of prompts, which of them each row begins with, and how much of it. */
export interface Prefix {
  readonly prefixKeys: TensorInfo;
  readonly prefixValues: TensorInfo;
  readonly prefixRows: TensorInfo;
  readonly prefixLengths: TensorInfo;
}

export function prefixArguments(prefix: Prefix | undefined): {
  readonly from: readonly [Address, Address, Address, Address];
  readonly capacity: number;
} {
  if (prefix === undefined) return { from: [0, 0, 0, 0], capacity: 0 };
  const { prefixKeys, prefixValues, prefixRows, prefixLengths } = prefix;
  return {
    from: [addressOf(prefixKeys), addressOf(prefixValues), addressOf(prefixRows), addressOf(prefixLengths)],
    capacity: prefixKeys.shape[2] as number,
  };
}
