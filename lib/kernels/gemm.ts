// Matrix product in the manner of Goto & van de Geijn ("Anatomy of high-performance matrix multiplication", 2008):
// the right operand is repacked into panels 8 columns wide that a 5 × 8 tile of registers walks down.
// Ten accumulators, two vectors of B, one of A and one product fill the 16 registers of x86 SIMD.
import { multiplyAdd } from './vector';

/** Rows and columns of the tile. */
export const TILE_ROWS: i32 = 5;
export const TILE_COLUMNS: i32 = 8;
export const PANEL_ROW_BYTES: usize = 32;
const STRIP_ROW_BYTES: usize = 20;
const TILE_BYTES: usize = 160;
/** Rows of B packed at once: a panel of them (12 KB) stays in the first-level cache. */
const BLOCK_DEPTH: i32 = 384;
/** Columns of B packed at once: a block of them (at most 768 KB) stays in the second-level cache. */
const BLOCK_COLUMNS: i32 = 512;

export function roundUp(n: i32, multiple: i32): i32 {
  return ((n + multiple - 1) / multiple) * multiple;
}

/** Bytes of `packPanels`' output: `k` rows of `n` columns. */
export function panelBytes(n: i32, k: i32): usize {
  return <usize>roundUp(n, TILE_COLUMNS) * <usize>k * 4;
}

/** Four floats of four consecutive columns, one row each, become four rows of a panel. */
function transpose4(source: usize, stride: usize, target: usize): void {
  const x0 = v128.load(source);
  const x1 = v128.load(source + stride);
  const x2 = v128.load(source + 2 * stride);
  const x3 = v128.load(source + 3 * stride);
  const low01 = i32x4.shuffle(x0, x1, 0, 4, 1, 5);
  const high01 = i32x4.shuffle(x0, x1, 2, 6, 3, 7);
  const low23 = i32x4.shuffle(x2, x3, 0, 4, 1, 5);
  const high23 = i32x4.shuffle(x2, x3, 2, 6, 3, 7);
  v128.store(target, i64x2.shuffle(low01, low23, 0, 2));
  v128.store(target, i64x2.shuffle(low01, low23, 1, 3), 32);
  v128.store(target, i64x2.shuffle(high01, high23, 0, 2), 64);
  v128.store(target, i64x2.shuffle(high01, high23, 1, 3), 96);
}

/**
 * Copies a `k × n` matrix (element (p, j) at `b + p·bRow + j·bColumn`) into panels of 8 columns, each `k` rows of 8
 * consecutive floats; the last panel is filled up with zeros.
 */
export function packPanels(b: usize, bRow: usize, bColumn: usize, n: i32, k: i32, target: usize): void {
  for (let j = 0; j < n; j += TILE_COLUMNS) {
    const width = min(TILE_COLUMNS, n - j);
    const source = b + <usize>j * bColumn;
    let p = 0;
    if (width == TILE_COLUMNS && bColumn == 4) {
      for (; p < k; p++) {
        const row = source + <usize>p * bRow;
        const into = target + <usize>p * PANEL_ROW_BYTES;
        v128.store(into, v128.load(row));
        v128.store(into, v128.load(row, 16), 16);
      }
    } else if (width == TILE_COLUMNS && bRow == 4) {
      for (; p + 4 <= k; p += 4) {
        const into = target + <usize>p * PANEL_ROW_BYTES;
        transpose4(source + <usize>p * 4, bColumn, into);
        transpose4(source + <usize>p * 4 + 4 * bColumn, bColumn, into + 16);
      }
    }
    for (; p < k; p++) {
      const row = source + <usize>p * bRow;
      const into = target + <usize>p * PANEL_ROW_BYTES;
      for (let jj = 0; jj < TILE_COLUMNS; jj++)
        store<f32>(into + ((<usize>jj) << 2), jj < width ? load<f32>(row + <usize>jj * bColumn) : 0);
    }
    target += <usize>k * PANEL_ROW_BYTES;
  }
}

/** Packs up to 5 rows of A into `k` groups of 5, so that the tile reads them in order. Missing rows are not written: what comes of them is not copied. */
function packStrip(a: usize, aRow: usize, aColumn: usize, rows: i32, k: i32, target: usize): void {
  if (rows == TILE_ROWS && aRow == 4) {
    for (let p = 0; p < k; p++) {
      v128.store(target, v128.load(a));
      store<f32>(target, load<f32>(a, 16), 16);
      a += aColumn;
      target += STRIP_ROW_BYTES;
    }
    return;
  }
  for (let p = 0; p < k; p++) {
    for (let i = 0; i < rows; i++) store<f32>(target + ((<usize>i) << 2), load<f32>(a + <usize>i * aRow));
    a += aColumn;
    target += STRIP_ROW_BYTES;
  }
}

/**
 * C (+)= A · panel: 5 rows, 8 columns, `k` products. Element (i, p) of A is at `a + i·aRow + p·aColumn`.
 * Kept to this bare form on purpose: one more live variable and the compiler spills an accumulator, at half the speed.
 */
function tile(a: usize, aRow: usize, aColumn: usize, panel: usize, c: usize, cRow: usize, k: i32): void {
  let a0 = a;
  let a1 = a0 + aRow;
  let a2 = a1 + aRow;
  let a3 = a2 + aRow;
  let a4 = a3 + aRow;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  let c40 = f32x4.splat(0);
  let c41 = f32x4.splat(0);
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
}

/** Stores or adds the part of a tile that exists. */
function copyTile(from: usize, c: usize, cRow: usize, rows: i32, columns: i32, accumulate: bool): void {
  const whole = columns & ~3;
  for (let i = 0; i < rows; i++) {
    let j = 0;
    for (; j < whole; j += 4) {
      const to = c + ((<usize>j) << 2);
      const x = v128.load(from + ((<usize>j) << 2));
      v128.store(to, accumulate ? f32x4.add(v128.load(to), x) : x);
    }
    for (; j < columns; j++) {
      const to = c + ((<usize>j) << 2);
      const x = load<f32>(from + ((<usize>j) << 2));
      store<f32>(to, accumulate ? load<f32>(to) + x : x);
    }
    from += PANEL_ROW_BYTES;
    c += cRow;
  }
}

/** Bytes `multiplyStrip` needs to work in, for `k` products. */
export function stripScratch(k: i32): usize {
  return TILE_BYTES + STRIP_ROW_BYTES * <usize>k;
}

/**
 * C (+)= A · B for one strip of up to 5 rows. B is packed into panels of `depth` rows, of which the first `k` are used.
 */
export function multiplyStrip(
  a: usize,
  aRow: usize,
  aColumn: usize,
  panels: usize,
  depth: i32,
  c: usize,
  cRow: usize,
  rows: i32,
  n: i32,
  k: i32,
  accumulate: bool,
  scratch: usize,
): void {
  if (aColumn != 4 || rows < TILE_ROWS) {
    packStrip(a, aRow, aColumn, rows, k, scratch + TILE_BYTES);
    a = scratch + TILE_BYTES;
    aRow = 4;
    aColumn = STRIP_ROW_BYTES;
  }
  for (let j = 0; j < n; j += TILE_COLUMNS) {
    const columns = min(TILE_COLUMNS, n - j);
    if (rows == TILE_ROWS && columns == TILE_COLUMNS && !accumulate)
      tile(a, aRow, aColumn, panels, c, cRow, k);
    else {
      tile(a, aRow, aColumn, panels, scratch, PANEL_ROW_BYTES, k);
      copyTile(scratch, c, cRow, rows, columns, accumulate);
    }
    panels += <usize>depth * PANEL_ROW_BYTES;
    c += PANEL_ROW_BYTES;
  }
}

/** Evenly sized blocks of at most `limit` that cover `n`. */
function blockSize(n: i32, limit: i32): i32 {
  const blocks = (n + limit - 1) / limit;
  return (n + blocks - 1) / blocks;
}

/** Bytes of scratch memory that `gemm` needs. */
export function gemmScratch(n: i32, k: i32): usize {
  const depth = min(k, BLOCK_DEPTH);
  return panelBytes(min(n, BLOCK_COLUMNS), depth) + stripScratch(depth);
}

/**
 * C = A · B, `[m, k] × [k, n] → [m, n]`, C in row order; strides of A and B in bytes, so either may be transposed.
 */
export function gemm(
  a: usize,
  aRow: usize,
  aColumn: usize,
  b: usize,
  bRow: usize,
  bColumn: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  scratch: usize,
): void {
  if (k == 0) {
    memory.fill(c, 0, <usize>m * <usize>n * 4);
    return;
  }
  const depth = blockSize(k, BLOCK_DEPTH);
  const panels = scratch + stripScratch(depth);
  const cRow = <usize>n * 4;
  for (let p = 0; p < k; p += depth) {
    const kHere = min(depth, k - p);
    for (let j = 0; j < n; j += BLOCK_COLUMNS) {
      const nHere = min(BLOCK_COLUMNS, n - j);
      packPanels(b + <usize>p * bRow + <usize>j * bColumn, bRow, bColumn, nHere, kHere, panels);
      for (let i = 0; i < m; i += TILE_ROWS) {
        const from = a + <usize>i * aRow + <usize>p * aColumn;
        const to = c + <usize>i * cRow + ((<usize>j) << 2);
        const rows = min(TILE_ROWS, m - i);
        multiplyStrip(from, aRow, aColumn, panels, kHere, to, cRow, rows, nHere, kHere, p > 0, scratch);
      }
    }
  }
}
