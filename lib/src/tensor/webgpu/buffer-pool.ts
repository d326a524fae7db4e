/**
 * Bounds the buffers that tfjs keeps for another tensor of exactly the same size, for ever: batches of many lengths would fill
 * the GPU with them.
 */
import { gpu } from './device.js';

/** Below this much, keeping is cheaper than making anew. */
const ALWAYS_KEPT = 256 * 2 ** 20;

/** Frees the idle buffers when they hold more than those in use and 256 MB. Only between two submissions of the queue. */
export function limitIdleBuffers(alwaysKept: number = ALWAYS_KEPT): void {
  const pool = gpu().bufferManager;
  const idle = pool.numBytesAllocated - pool.numBytesUsed;
  if (idle <= alwaysKept + pool.numBytesUsed) return;
  for (const buffers of pool.freeBuffers.values()) {
    for (const buffer of buffers) {
      pool.numBytesAllocated -= buffer.size;
      buffer.destroy();
    }
    pool.numFreeBuffers -= buffers.length;
    buffers.length = 0;
  }
}
