// Causal attention, one head at a time. Only one strip of scores exists at a time; what is kept of them for the backward pass
// (attention-gradient.ts) is the log of their sum (Dao et al., "FlashAttention", 2022).
// q and out are [B, T, H, Dh], k and v [B, T, Hkv, Dh], lse [B, H, T]; positions before starts[b] do not exist.
import { clearPadding, scoreRowBytes, scoreScale } from './attention-layout';
import { multiplyStrip, packPanels, panelBytes, roundUp, stripScratch } from './gemm';
import { TILE_COLUMNS, TILE_ROWS } from './tile';
import { exp4, loadTail, log64, maxLanes, multiplyAdd, sumLanes } from './vector';

export function attentionScratch(length: i32, headDim: i32): usize {
  return (
    stripScratch(max(length, headDim)) +
    panelBytes(length, headDim) +
    panelBytes(headDim, length) +
    <usize>TILE_ROWS * scoreRowBytes(length)
  );
}

/** Turns `count` scaled scores into exponentials relative to their maximum; returns the log of their sum, maximum included. */
function exponentiate(scores: usize, count: i32, scale: f32): f64 {
  const whole = count & ~3;
  const rest = count - whole;
  const tail = loadTail(scores + ((<usize>whole) << 2), rest, -Infinity);
  let largest4 = tail;
  for (let j = 0; j < whole; j += 4) largest4 = f32x4.pmax(largest4, v128.load(scores + ((<usize>j) << 2)));
  const largest = maxLanes(largest4) * scale;
  const shift = f32x4.splat(largest);
  const scale4 = f32x4.splat(scale);
  let sum4 = f32x4.splat(0);
  for (let j = 0; j < whole; j += 4) {
    const at = scores + ((<usize>j) << 2);
    const e = exp4(f32x4.sub(f32x4.mul(v128.load(at), scale4), shift));
    v128.store(at, e);
    sum4 = f32x4.add(sum4, e);
  }
  if (rest > 0) {
    const e = exp4(f32x4.sub(f32x4.mul(tail, scale4), shift));
    v128.store(scores + ((<usize>whole) << 2), e);
    sum4 = f32x4.add(sum4, e);
  }
  return <f64>largest + log64(<f64>sumLanes(sum4));
}

/** out += weight · values. */
function addScaled(out: usize, values: usize, weight: f32, n: i32): void {
  const weight4 = f32x4.splat(weight);
  let d = 0;
  for (; d + 4 <= n; d += 4) {
    const at = out + ((<usize>d) << 2);
    v128.store(at, multiplyAdd(v128.load(at), weight4, v128.load(values + ((<usize>d) << 2))));
  }
  for (; d < n; d++) {
    const at = out + ((<usize>d) << 2);
    store<f32>(at, load<f32>(at) + weight * load<f32>(values + ((<usize>d) << 2)));
  }
}

function scaleRow(row: usize, factor: f32, n: i32): void {
  const factor4 = f32x4.splat(factor);
  let d = 0;
  for (; d + 4 <= n; d += 4) {
    const at = row + ((<usize>d) << 2);
    v128.store(at, f32x4.mul(v128.load(at), factor4));
  }
  for (; d < n; d++) {
    const at = row + ((<usize>d) << 2);
    store<f32>(at, load<f32>(at) * factor);
  }
}

/** Sum of the exponentials of one row: what they must be divided by to add up to 1. */
function sumRow(row: usize, count: i32): f32 {
  const whole = count & ~3;
  let sum4 = loadTail(row + ((<usize>whole) << 2), count - whole, 0);
  for (let j = 0; j < whole; j += 4) sum4 = f32x4.add(sum4, v128.load(row + ((<usize>j) << 2)));
  return sumLanes(sum4);
}

export function attention(
  q: usize,
  k: usize,
  v: usize,
  starts: usize,
  out: usize,
  lse: usize,
  batch: i32,
  length: i32,
  heads: i32,
  keyValueHeads: i32,
  headDim: i32,
  scratch: usize,
): void {
  const scale = scoreScale(headDim);
  const group = heads / keyValueHeads;
  const headBytes = <usize>headDim * 4;
  const qRow = <usize>heads * headBytes;
  const kvRow = <usize>keyValueHeads * headBytes;
  const scoreRow = scoreRowBytes(length);
  const keyPanels = scratch + stripScratch(max(length, headDim));
  const valuePanels = keyPanels + panelBytes(length, headDim);
  const scores = valuePanels + panelBytes(headDim, length);

  for (let b = 0; b < batch; b++) {
    const start = load<i32>(starts + ((<usize>b) << 2));
    const count = length - start;
    const firstRow = <usize>(b * length + start);
    clearPadding(out, b, length, start, qRow);
    for (let h = 0; h < heads; h++) {
      const kvHead = <usize>(h / group) * headBytes;
      const keys = k + firstRow * kvRow + kvHead;
      const values = v + firstRow * kvRow + kvHead;
      if (h % group == 0) {
        packPanels(keys, 4, kvRow, count, headDim, keyPanels);
        packPanels(values, kvRow, 4, headDim, count, valuePanels);
      }
      const queries = q + firstRow * qRow + <usize>h * headBytes;
      const outputs = out + firstRow * qRow + <usize>h * headBytes;
      const logSums = lse + ((<usize>(b * heads + h) * <usize>length + <usize>start) << 2);
      for (let i = 0; i < count; i += TILE_ROWS) {
        const rows = min(TILE_ROWS, count - i);
        const strip = queries + <usize>i * qRow;
        const columns = roundUp(i + rows, TILE_COLUMNS);
        multiplyStrip(strip, qRow, 4, keyPanels, headDim, 0, 0, scores, scoreRow, rows, columns, headDim, scratch); // prettier-ignore
        for (let r = 0; r < rows; r++) {
          const logSum = exponentiate(scores + <usize>r * scoreRow, i + r + 1, scale);
          store<f32>(logSums + ((<usize>(i + r)) << 2), <f32>logSum);
        }
        // Keys up to i are seen by the whole strip; the few after it only by some rows, and must not touch the others.
        const to = outputs + <usize>i * qRow;
        multiplyStrip(scores, scoreRow, 4, valuePanels, count, 0, 0, to, qRow, rows, headDim, i + 1, scratch); // prettier-ignore
        for (let r = 0; r < rows; r++) {
          const weights = scores + <usize>r * scoreRow;
          const row = to + <usize>r * qRow;
          for (let j = i + 1; j <= i + r; j++)
            addScaled(row, values + <usize>j * kvRow, load<f32>(weights + ((<usize>j) << 2)), headDim);
          scaleRow(row, 1 / sumRow(weights, i + r + 1), headDim);
        }
      }
    }
  }
}
