// What the forward and backward passes of attention, and decoding, agree on.
import { roundUp } from './gemm';
import { TILE_COLUMNS } from './tile';

/** What a score is multiplied by: 1 / √Dh. */
export function scoreScale(headDim: i32): f32 {
  return <f32>(1 / Math.sqrt(<f64>headDim));
}

/** Bytes of one row of scores over `length` positions, filled up to whole panels. */
export function scoreRowBytes(length: i32): usize {
  return <usize>roundUp(length, TILE_COLUMNS) * 4;
}

/** Zeros at the positions before `start` of sequence `b`; `x` is `[B, T, …]` with `row` bytes a position. */
export function clearPadding(x: usize, b: i32, length: i32, start: i32, row: usize): void {
  memory.fill(x + <usize>(b * length) * row, 0, <usize>start * row);
}
