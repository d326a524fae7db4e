// Matrix product in the manner of Goto & van de Geijn ("Anatomy of high-performance matrix multiplication", 2008):
// the right operand is repacked into panels 8 columns wide that a tile of registers walks down (`tile.ts`).
import { LOW_TILE_ROWS, lowTile, PANEL_ROW_BYTES, tile, TILE_COLUMNS, TILE_ROWS } from './tile';

const STRIP_ROW_BYTES: usize = <usize>TILE_ROWS * 4;
const TILE_BYTES: usize = <usize>TILE_ROWS * PANEL_ROW_BYTES;
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

/**
 * Packs a strip of A into `k` groups of `TILE_ROWS`, so that the tile reads them in order. Missing rows are not written: what
 * comes of them is not copied.
 */
function packStrip(a: usize, aRow: usize, aColumn: usize, rows: i32, k: i32, target: usize): void {
  const sideBySide = rows == TILE_ROWS && aRow == 4;
  for (let p = 0; p < k; p++) {
    if (sideBySide) {
      v128.store(target, v128.load(a));
      if (TILE_ROWS == 5) store<f32>(target, load<f32>(a, 16), 16);
      else store<u64>(target, load<u64>(a, 16), 16);
    } else
      for (let i = 0; i < rows; i++) store<f32>(target + ((<usize>i) << 2), load<f32>(a + <usize>i * aRow));
    a += aColumn;
    target += STRIP_ROW_BYTES;
  }
}

/** Copies the part of a tile that exists. */
function copyTile(from: usize, fromRow: usize, to: usize, toRow: usize, rows: i32, columns: i32): void {
  const whole = columns & ~3;
  for (let i = 0; i < rows; i++) {
    let j = 0;
    for (; j < whole; j += 4) v128.store(to + ((<usize>j) << 2), v128.load(from + ((<usize>j) << 2)));
    for (; j < columns; j++) store<f32>(to + ((<usize>j) << 2), load<f32>(from + ((<usize>j) << 2)));
    from += fromRow;
    to += toRow;
  }
}

/** Bytes `multiplyStrip` needs to work in, for `k` products: a tile at the edge, a row of zeros, a packed strip. */
export function stripScratch(k: i32): usize {
  const bytes = TILE_BYTES + PANEL_ROW_BYTES + STRIP_ROW_BYTES * <usize>k;
  // what lies behind it, panels, keeps its vectors within cache lines
  return (bytes + 63) & ~63;
}

/**
 * C = start + A · B for one strip of up to `TILE_ROWS` rows; without `start` (0), A · B alone. B is packed into panels of
 * `depth` rows, of which the first `k` are used. `start` may be C itself, or one row for all (`startRow` 0).
 */
export function multiplyStrip(
  a: usize,
  aRow: usize,
  aColumn: usize,
  panels: usize,
  depth: i32,
  start: usize,
  startRow: usize,
  c: usize,
  cRow: usize,
  rows: i32,
  n: i32,
  k: i32,
  scratch: usize,
): void {
  const edge = scratch;
  const zeros = edge + TILE_BYTES;
  const strip = zeros + PANEL_ROW_BYTES;
  // a call of memory.fill would take longer
  v128.store(zeros, f32x4.splat(0));
  v128.store(zeros, f32x4.splat(0), 16);
  const low = rows <= LOW_TILE_ROWS;
  const whole = rows == (low ? LOW_TILE_ROWS : TILE_ROWS);
  if (aColumn != 4 || !whole) {
    packStrip(a, aRow, aColumn, rows, k, strip);
    a = strip;
    aRow = 4;
    aColumn = STRIP_ROW_BYTES;
  }
  for (let j = 0; j < n; j += TILE_COLUMNS) {
    const columns = min(TILE_COLUMNS, n - j);
    if (whole && columns == TILE_COLUMNS) {
      const from = start ? start : zeros;
      const fromRow = start ? startRow : 0;
      if (low) lowTile(a, aRow, aColumn, panels, from, fromRow, c, cRow, k);
      else tile(a, aRow, aColumn, panels, from, fromRow, c, cRow, k);
    } else {
      if (start) copyTile(start, startRow, edge, PANEL_ROW_BYTES, rows, columns);
      else memory.fill(edge, 0, TILE_BYTES);
      if (low) lowTile(a, aRow, aColumn, panels, edge, PANEL_ROW_BYTES, edge, PANEL_ROW_BYTES, k);
      else tile(a, aRow, aColumn, panels, edge, PANEL_ROW_BYTES, edge, PANEL_ROW_BYTES, k);
      copyTile(edge, PANEL_ROW_BYTES, c, cRow, rows, columns);
    }
    panels += <usize>depth * PANEL_ROW_BYTES;
    c += PANEL_ROW_BYTES;
    if (start) start += PANEL_ROW_BYTES;
  }
}

/** C = start + A · B for all strips of A, and a B of `k` rows that is packed whole; `start` as in `multiplyStrip`. */
function multiplyBlock(
  a: usize,
  aRow: usize,
  aColumn: usize,
  panels: usize,
  start: usize,
  startRow: usize,
  c: usize,
  cRow: usize,
  m: i32,
  n: i32,
  k: i32,
  scratch: usize,
): void {
  let rows = 0;
  for (let i = 0; i < m; i += rows) {
    rows = stripRows(m - i);
    const first = start ? start + <usize>i * startRow : 0;
    const to = c + <usize>i * cRow;
    multiplyStrip(a + <usize>i * aRow, aRow, aColumn, panels, k, first, startRow, to, cRow, rows, n, k, scratch); // prettier-ignore
  }
}

/** Rows of the next strip when so many are left: the last seven or eight are two low tiles, not a high and a nearly empty one. */
function stripRows(left: i32): i32 {
  const ends = left == 2 * LOW_TILE_ROWS || left == 2 * LOW_TILE_ROWS - 1;
  return min(left, ends ? LOW_TILE_ROWS : TILE_ROWS);
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
 * C = start + A · B, `[m, k] × [k, n] → [m, n]`, C in row order; strides of A and B in bytes, so either may be transposed.
 * `start` lies as C does, or is one row for all of C when `startRow` is 0, or is 0 for nothing.
 */
export function gemm(
  a: usize,
  aRow: usize,
  aColumn: usize,
  b: usize,
  bRow: usize,
  bColumn: usize,
  start: usize,
  startRow: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  scratch: usize,
): void {
  const depth = blockSize(max(k, 1), BLOCK_DEPTH);
  const panels = scratch + stripScratch(depth);
  const cRow = <usize>n * 4;
  // Without products the one pass below still sets C to `start`.
  for (let p = 0; p < max(k, 1); p += depth) {
    const kHere = min(depth, k - p);
    for (let j = 0; j < n; j += BLOCK_COLUMNS) {
      const nHere = min(BLOCK_COLUMNS, n - j);
      const column = (<usize>j) << 2;
      packPanels(b + <usize>p * bRow + <usize>j * bColumn, bRow, bColumn, nHere, kHere, panels);
      const from = a + <usize>p * aColumn;
      const to = c + column;
      if (p == 0)
        multiplyBlock(from, aRow, aColumn, panels, start ? start + column : 0, startRow, to, cRow, m, nHere, kHere, scratch); // prettier-ignore
      else multiplyBlock(from, aRow, aColumn, panels, to, cRow, to, cRow, m, nHere, kHere, scratch);
    }
  }
}

/** Packs a weight `[n, k]` as the right operand `weightᵀ`, whole, for `gemmPacked`. */
export function packWeight(weight: usize, n: i32, k: i32, target: usize): void {
  packPanels(weight, 4, <usize>k * 4, n, k, target);
}

/** As `gemm` with rows of A side by side and a packed B: what is multiplied with many a small A is packed once. */
export function gemmPacked(
  a: usize,
  panels: usize,
  start: usize,
  startRow: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  scratch: usize,
): void {
  const aRow = <usize>k * 4;
  const cRow = <usize>n * 4;
  for (let j = 0; j < n; j += BLOCK_COLUMNS) {
    const column = (<usize>j) << 2;
    const first = start ? start + column : 0;
    const columns = min(BLOCK_COLUMNS, n - j);
    multiplyBlock(a, aRow, 4, panels + <usize>j * aRow, first, startRow, c + column, cRow, m, columns, k, scratch); // prettier-ignore
  }
}
