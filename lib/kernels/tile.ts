// The innermost loops of a matrix product: a tile of sums in registers, 6 × 8 or 5 × 8, that walks down a panel of the right operand.
// A tile of r rows loads r + 2 vectors for 2r multiply-adds: the taller, the better, until registers run out. V8 leaves 15 of
// x86's 16. Fused, 12 accumulators, two vectors of B and one of A fill them; else each product needs a register too.
import { FUSED, multiplyAdd } from './vector';

/** Rows and columns of the tile. */
export const TILE_ROWS: i32 = FUSED ? 6 : 5;
export const TILE_COLUMNS: i32 = 8;
/** Rows of the tile for what is left. */
export const LOW_TILE_ROWS: i32 = 4;
export const PANEL_ROW_BYTES: usize = 32;

/**
 * C = start + A · panel: `TILE_ROWS` rows, 8 columns, `k` products. Element (i, p) of A is at `a + i·aRow + p·aColumn`.
 * Its form matters. V8 emits loads as late as their uses allow only where nothing after the loop uses the sums as the last pass
 * left them: the loop must test at its top, go through the rows in order and not be unrolled. Any other order of the same
 * operations loads all of a column of A first, runs out of registers and takes twice the time.
 */
export function tile(
  a: usize,
  aRow: usize,
  aColumn: usize,
  panel: usize,
  start: usize,
  startRow: usize,
  c: usize,
  cRow: usize,
  k: i32,
): void {
  let c00 = v128.load(start);
  let c01 = v128.load(start, 16);
  start += startRow;
  let c10 = v128.load(start);
  let c11 = v128.load(start, 16);
  start += startRow;
  let c20 = v128.load(start);
  let c21 = v128.load(start, 16);
  start += startRow;
  let c30 = v128.load(start);
  let c31 = v128.load(start, 16);
  start += startRow;
  let c40 = v128.load(start);
  let c41 = v128.load(start, 16);
  let c50 = f32x4.splat(0);
  let c51 = f32x4.splat(0);
  if (TILE_ROWS == 6) {
    start += startRow;
    c50 = v128.load(start);
    c51 = v128.load(start, 16);
  }
  let a0 = a;
  let a1 = a0 + aRow;
  let a2 = a1 + aRow;
  let a3 = a2 + aRow;
  let a4 = a3 + aRow;
  let a5 = a4 + aRow;
  for (let p = 0; p < k; p++) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(c00, x0, b0);
    c01 = multiplyAdd(c01, x0, b1);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(c10, x1, b0);
    c11 = multiplyAdd(c11, x1, b1);
    const x2 = v128.load32_splat(a2);
    c20 = multiplyAdd(c20, x2, b0);
    c21 = multiplyAdd(c21, x2, b1);
    const x3 = v128.load32_splat(a3);
    c30 = multiplyAdd(c30, x3, b0);
    c31 = multiplyAdd(c31, x3, b1);
    const x4 = v128.load32_splat(a4);
    c40 = multiplyAdd(c40, x4, b0);
    c41 = multiplyAdd(c41, x4, b1);
    if (TILE_ROWS == 6) {
      const x5 = v128.load32_splat(a5);
      c50 = multiplyAdd(c50, x5, b0);
      c51 = multiplyAdd(c51, x5, b1);
      a5 += aColumn;
    }
    panel += PANEL_ROW_BYTES;
    a0 += aColumn;
    a1 += aColumn;
    a2 += aColumn;
    a3 += aColumn;
    a4 += aColumn;
  }
  v128.store(c, c00);
  v128.store(c, c01, 16);
  c += cRow;
  v128.store(c, c10);
  v128.store(c, c11, 16);
  c += cRow;
  v128.store(c, c20);
  v128.store(c, c21, 16);
  c += cRow;
  v128.store(c, c30);
  v128.store(c, c31, 16);
  c += cRow;
  v128.store(c, c40);
  v128.store(c, c41, 16);
  if (TILE_ROWS == 6) {
    c += cRow;
    v128.store(c, c50);
    v128.store(c, c51, 16);
  }
}

/** The same for the first four rows: what is left of a matrix wastes fewer. */
export function lowTile(
  a: usize,
  aRow: usize,
  aColumn: usize,
  panel: usize,
  start: usize,
  startRow: usize,
  c: usize,
  cRow: usize,
  k: i32,
): void {
  let c00 = v128.load(start);
  let c01 = v128.load(start, 16);
  start += startRow;
  let c10 = v128.load(start);
  let c11 = v128.load(start, 16);
  start += startRow;
  let c20 = v128.load(start);
  let c21 = v128.load(start, 16);
  start += startRow;
  let c30 = v128.load(start);
  let c31 = v128.load(start, 16);
  let a0 = a;
  let a1 = a0 + aRow;
  let a2 = a1 + aRow;
  let a3 = a2 + aRow;
  for (let p = 0; p < k; p++) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(c00, x0, b0);
    c01 = multiplyAdd(c01, x0, b1);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(c10, x1, b0);
    c11 = multiplyAdd(c11, x1, b1);
    const x2 = v128.load32_splat(a2);
    c20 = multiplyAdd(c20, x2, b0);
    c21 = multiplyAdd(c21, x2, b1);
    const x3 = v128.load32_splat(a3);
    c30 = multiplyAdd(c30, x3, b0);
    c31 = multiplyAdd(c31, x3, b1);
    panel += PANEL_ROW_BYTES;
    a0 += aColumn;
    a1 += aColumn;
    a2 += aColumn;
    a3 += aColumn;
  }
  v128.store(c, c00);
  v128.store(c, c01, 16);
  c += cRow;
  v128.store(c, c10);
  v128.store(c, c11, 16);
  c += cRow;
  v128.store(c, c20);
  v128.store(c, c21, 16);
  c += cRow;
  v128.store(c, c30);
  v128.store(c, c31, 16);
}
