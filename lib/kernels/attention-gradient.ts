// The backward pass of causal attention, one head at a time, for strips of keys as high as a tile. Their scores are computed again from the
// saved log-sum-exp (Dao et al., "FlashAttention", 2022); only the gradients of scores are kept, for dq. Shapes as in attention.ts.
import { clearPadding, scoreRowBytes, scoreScale } from './attention-layout';
import { multiplyStrip, packPanels, panelBytes, roundUp, stripScratch } from './gemm';
import { PANEL_ROW_BYTES, TILE_COLUMNS, TILE_ROWS } from './tile';
import { exp4, multiplyAdd, sumLanes } from './vector';

export function attentionGradientScratch(length: i32, headDim: i32): usize {
  return (
    stripScratch(max(length, headDim)) +
    2 * panelBytes(length, headDim) +
    3 * panelBytes(headDim, length) +
    <usize>(roundUp(length, TILE_ROWS) + TILE_ROWS + 2) * scoreRowBytes(length)
  );
}

function dot(x: usize, y: usize, n: i32): f32 {
  let sum4 = f32x4.splat(0);
  let d = 0;
  for (; d + 4 <= n; d += 4)
    sum4 = multiplyAdd(sum4, v128.load(x + ((<usize>d) << 2)), v128.load(y + ((<usize>d) << 2)));
  let sum = sumLanes(sum4);
  for (; d < n; d++) sum += load<f32>(x + ((<usize>d) << 2)) * load<f32>(y + ((<usize>d) << 2));
  return sum;
}

/**
 * One key's scores and score gradients over all queries become weights p and their gradients, in place:
 * p = exp(s · scale - lse), ds = p (dp - delta) scale; queries before `first` do not see the key.
 */
function differentiateRow(
  scores: usize,
  gradients: usize,
  logSums: usize,
  deltas: usize,
  from: i32,
  first: i32,
  count: i32,
  scale: f32,
): void {
  const scale4 = f32x4.splat(scale);
  for (let i = first & ~3; i < count; i += 4) {
    const at = (<usize>i) << 2;
    const p = exp4(f32x4.sub(f32x4.mul(v128.load(scores + at), scale4), v128.load(logSums + at)));
    const centred = f32x4.sub(v128.load(gradients + at), v128.load(deltas + at));
    v128.store(scores + at, p);
    v128.store(gradients + at, f32x4.mul(f32x4.mul(p, centred), scale4));
  }
  const hidden = (<usize>(first - from)) << 2;
  memory.fill(scores + ((<usize>from) << 2), 0, hidden);
  memory.fill(gradients + ((<usize>from) << 2), 0, hidden);
}

export function attentionGradient(
  q: usize,
  k: usize,
  v: usize,
  starts: usize,
  out: usize,
  lse: usize,
  dOut: usize,
  dq: usize,
  dk: usize,
  dv: usize,
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
  const queryColumns = scratch + stripScratch(max(length, headDim));
  const gradientColumns = queryColumns + panelBytes(length, headDim);
  const queryPanels = gradientColumns + panelBytes(length, headDim);
  const gradientPanels = queryPanels + panelBytes(headDim, length);
  const keyPanels = gradientPanels + panelBytes(headDim, length);
  const logSums = keyPanels + panelBytes(headDim, length);
  const deltas = logSums + scoreRow;
  const scores = deltas + scoreRow;
  const scoreGradients = scores + <usize>TILE_ROWS * scoreRow;

  for (let b = 0; b < batch; b++) {
    const start = load<i32>(starts + ((<usize>b) << 2));
    const count = length - start;
    const padded = roundUp(count, TILE_COLUMNS);
    const firstRow = <usize>(b * length + start);
    clearPadding(dq, b, length, start, qRow);
    clearPadding(dk, b, length, start, kvRow);
    clearPadding(dv, b, length, start, kvRow);
    for (let h = 0; h < heads; h++) {
      const ofHead = firstRow * qRow + <usize>h * headBytes;
      const ofKey = firstRow * kvRow + <usize>(h / group) * headBytes;
      const accumulate = h % group > 0;
      if (!accumulate) packPanels(k + ofKey, kvRow, 4, headDim, count, keyPanels);
      packPanels(q + ofHead, 4, qRow, count, headDim, queryColumns);
      packPanels(dOut + ofHead, 4, qRow, count, headDim, gradientColumns);
      packPanels(q + ofHead, qRow, 4, headDim, count, queryPanels);
      packPanels(dOut + ofHead, qRow, 4, headDim, count, gradientPanels);
      const savedLogSums = lse + ((<usize>(b * heads + h) * <usize>length + <usize>start) << 2);
      for (let i = 0; i < padded; i++) {
        const at = (<usize>i) << 2;
        const row = ofHead + <usize>i * qRow;
        // Beyond the end: exp(0 - Infinity) = 0.
        store<f32>(logSums + at, i < count ? load<f32>(savedLogSums + at) : Infinity);
        store<f32>(deltas + at, i < count ? dot(dOut + row, out + row, headDim) : 0);
      }

      for (let j = 0; j < count; j += TILE_ROWS) {
        const rows = min(TILE_ROWS, count - j);
        const from = (j / TILE_COLUMNS) * TILE_COLUMNS;
        const panelOffset = <usize>from * headBytes;
        const columns = padded - from;
        const keyRows = ofKey + <usize>j * kvRow;
        const gradients = scoreGradients + <usize>j * scoreRow;
        const skipped = (<usize>from) << 2;
        multiplyStrip(k + keyRows, kvRow, 4, queryColumns + panelOffset, headDim, 0, 0, scores + skipped, scoreRow, rows, columns, headDim, scratch); // prettier-ignore
        multiplyStrip(v + keyRows, kvRow, 4, gradientColumns + panelOffset, headDim, 0, 0, gradients + skipped, scoreRow, rows, columns, headDim, scratch); // prettier-ignore
        for (let r = 0; r < rows; r++) {
          const offset = <usize>r * scoreRow;
          differentiateRow(scores + offset, gradients + offset, logSums, deltas, from, j + r, count, scale);
        }
        const seen = (<usize>j) << 2;
        const depthOffset = <usize>j * PANEL_ROW_BYTES;
        multiplyStrip(scores + seen, scoreRow, 4, gradientPanels + depthOffset, count, accumulate ? dv + keyRows : 0, kvRow, dv + keyRows, kvRow, rows, headDim, count - j, scratch); // prettier-ignore
        multiplyStrip(gradients + seen, scoreRow, 4, queryPanels + depthOffset, count, accumulate ? dk + keyRows : 0, kvRow, dk + keyRows, kvRow, rows, headDim, count - j, scratch); // prettier-ignore
      }

      for (let i = 0; i < count; i += TILE_ROWS) {
        const rows = min(TILE_ROWS, count - i);
        const to = dq + ofHead + <usize>i * qRow;
        multiplyStrip(scoreGradients + (<usize>i << 2), 4, scoreRow, keyPanels, count, 0, 0, to, qRow, rows, headDim, i + rows, scratch); // prettier-ignore
      }
    }
  }
}
