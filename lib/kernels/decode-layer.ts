// One layer of a decoder for one new token a row, in one call: the kernels that its ops would call one by one, in their order, so
// the bits are theirs. Weights are packed (`packWeight`): every token of a reply meets the same ones. Biases and norms of queries and
// keys are 0 where the model has none.
import { decodeAttention, decodeScratch } from './decode-attention';
import { gemmPacked, stripScratch } from './gemm';
import { rmsNorm } from './rms-norm';
import { rotary } from './rotary';
import { swiglu } from './swiglu';

/** Bytes of scratch memory that the kernels within need, one at a time. */
function innerScratch(hidden: i32, intermediate: i32, querySize: i32, attention: usize): usize {
  const products = stripScratch(max(hidden, max(intermediate, querySize)));
  return (max(attention, products) + 63) & ~63;
}

export function decodeLayerScratch(
  batch: i32,
  hidden: i32,
  intermediate: i32,
  heads: i32,
  keyValueHeads: i32,
  headDim: i32,
  capacity: i32,
  prefixCapacity: i32,
): usize {
  const querySize = heads * headDim;
  const keySize = keyValueHeads * headDim;
  const attention = decodeScratch(heads, keyValueHeads, prefixCapacity, capacity);
  const numbers = batch * (hidden + 2 * querySize + 2 * keySize + 2 * intermediate);
  return innerScratch(hidden, intermediate, querySize, attention) + <usize>numbers * 4;
}

export function decodeLayer(
  x: usize,
  out: usize,
  positions: usize,
  cosines: usize,
  sines: usize,
  cacheKeys: usize,
  cacheValues: usize,
  lengths: usize,
  prefixKeys: usize,
  prefixValues: usize,
  prefixRows: usize,
  prefixLengths: usize,
  inputNorm: usize,
  queryWeight: usize,
  queryBias: usize,
  queryNorm: usize,
  keyWeight: usize,
  keyBias: usize,
  keyNorm: usize,
  valueWeight: usize,
  valueBias: usize,
  outputWeight: usize,
  feedForwardNorm: usize,
  gateWeight: usize,
  upWeight: usize,
  downWeight: usize,
  batch: i32,
  hidden: i32,
  intermediate: i32,
  heads: i32,
  keyValueHeads: i32,
  headDim: i32,
  capacity: i32,
  prefixCapacity: i32,
  eps: f32,
  scratch: usize,
): void {
  const querySize = heads * headDim;
  const keySize = keyValueHeads * headDim;
  const residualRow = <usize>hidden * 4;
  const attention = decodeScratch(heads, keyValueHeads, prefixCapacity, capacity);
  const normed = scratch + innerScratch(hidden, intermediate, querySize, attention);
  const q = normed + <usize>(batch * hidden) * 4;
  const attended = q + <usize>(batch * querySize) * 4;
  const k = attended + <usize>(batch * querySize) * 4;
  const v = k + <usize>(batch * keySize) * 4;
  const gate = v + <usize>(batch * keySize) * 4;
  const up = gate + <usize>(batch * intermediate) * 4;

  rmsNorm(x, inputNorm, normed, batch, hidden, eps);
  gemmPacked(normed, queryWeight, queryBias, 0, q, batch, querySize, hidden, scratch);
  gemmPacked(normed, keyWeight, keyBias, 0, k, batch, keySize, hidden, scratch);
  gemmPacked(normed, valueWeight, valueBias, 0, v, batch, keySize, hidden, scratch);
  if (queryNorm) rmsNorm(q, queryNorm, q, batch * heads, headDim, eps);
  if (keyNorm) rmsNorm(k, keyNorm, k, batch * keyValueHeads, headDim, eps);
  rotary(q, positions, cosines, sines, q, batch, heads, headDim, 1);
  rotary(k, positions, cosines, sines, k, batch, keyValueHeads, headDim, 1);
  decodeAttention(q, k, v, cacheKeys, cacheValues, lengths, prefixKeys, prefixValues, prefixRows, prefixLengths, attended, batch, heads, keyValueHeads, capacity, prefixCapacity, headDim, scratch); // prettier-ignore
  gemmPacked(attended, outputWeight, x, residualRow, out, batch, hidden, querySize, scratch);

  rmsNorm(out, feedForwardNorm, normed, batch, hidden, eps);
  gemmPacked(normed, gateWeight, 0, 0, gate, batch, intermediate, hidden, scratch);
  gemmPacked(normed, upWeight, 0, 0, up, batch, intermediate, hidden, scratch);
  swiglu(gate, up, gate, batch * intermediate);
  gemmPacked(gate, downWeight, out, residualRow, out, batch, hidden, intermediate, scratch);
}
