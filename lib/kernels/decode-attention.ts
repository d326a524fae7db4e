// One new token a row against everything before it: a prefix that several rows may share, [P, Hkv, prefix capacity, Dh], then the
// row's own cache, [B, Hkv, capacity, Dh]. A head's keys lie together. Neighbouring rows with one prefix read it together, a block
// that stays in the first-level cache at a time; each row's sums are added in the order of its positions, whoever it reads with.
import { scoreScale } from './attention-layout';
import { exp4, loadTail, maxLanes, multiplyAdd, sumLanes } from './vector';

/** Rows that read a prefix together. */
const ROWS_AT_ONCE: i32 = 16;
/** Positions of a prefix that are read together: 16 KB of keys where heads have 64 features. A multiple of 4. */
const BLOCK: i32 = 64;

/** Bytes of the scores of one head, with room for the vector that may be written beyond the last. */
function scoreRow(positions: i32): usize {
  return <usize>(positions + 4) * 4;
}

/** Bytes of scratch memory: the scores of the rows that are read together. */
export function decodeScratch(heads: i32, keyValueHeads: i32, prefixCapacity: i32, capacity: i32): usize {
  return <usize>(ROWS_AT_ONCE * (heads / keyValueHeads)) * scoreRow(prefixCapacity + capacity);
}

/** Scores of `count` keys, four keys at a time: one horizontal sum for all four. */
function scoreKeys(q: usize, keys: usize, headDim: i32, count: i32, scale: f32, scores: usize): void {
  const row = <usize>headDim * 4;
  const whole = headDim & ~3;
  for (let j = 0; j < count; j += 4) {
    const k0 = keys + <usize>j * row;
    const k1 = keys + <usize>min(j + 1, count - 1) * row;
    const k2 = keys + <usize>min(j + 2, count - 1) * row;
    const k3 = keys + <usize>min(j + 3, count - 1) * row;
    let s0 = f32x4.splat(0);
    let s1 = f32x4.splat(0);
    let s2 = f32x4.splat(0);
    let s3 = f32x4.splat(0);
    for (let d: usize = 0; d < <usize>whole * 4; d += 16) {
      const x = v128.load(q + d);
      s0 = multiplyAdd(s0, x, v128.load(k0 + d));
      s1 = multiplyAdd(s1, x, v128.load(k1 + d));
      s2 = multiplyAdd(s2, x, v128.load(k2 + d));
      s3 = multiplyAdd(s3, x, v128.load(k3 + d));
    }
    const a = f32x4.add(i32x4.shuffle(s0, s1, 0, 4, 1, 5), i32x4.shuffle(s0, s1, 2, 6, 3, 7));
    const b = f32x4.add(i32x4.shuffle(s2, s3, 0, 4, 1, 5), i32x4.shuffle(s2, s3, 2, 6, 3, 7));
    let sums = f32x4.add(i64x2.shuffle(a, b, 0, 2), i64x2.shuffle(a, b, 1, 3));
    for (let d = whole; d < headDim; d++) {
      const at = (<usize>d) << 2;
      let x = f32x4.splat(load<f32>(k0 + at));
      x = f32x4.replace_lane(x, 1, load<f32>(k1 + at));
      x = f32x4.replace_lane(x, 2, load<f32>(k2 + at));
      x = f32x4.replace_lane(x, 3, load<f32>(k3 + at));
      sums = multiplyAdd(sums, x, f32x4.splat(load<f32>(q + at)));
    }
    v128.store(scores + ((<usize>j) << 2), f32x4.mul(sums, f32x4.splat(scale)));
  }
}

/** Softmax of `count` scores in place. */
function softmax(scores: usize, count: i32): void {
  const whole = count & ~3;
  const end = scores + ((<usize>whole) << 2);
  const tail = loadTail(end, count - whole, -Infinity);
  let largest4 = tail;
  for (let at = scores; at < end; at += 16) largest4 = f32x4.pmax(largest4, v128.load(at));
  const largest = f32x4.splat(maxLanes(largest4));
  const lastWeights = exp4(f32x4.sub(tail, largest));
  let sum4 = lastWeights;
  for (let at = scores; at < end; at += 16) {
    const e = exp4(f32x4.sub(v128.load(at), largest));
    v128.store(at, e);
    sum4 = f32x4.add(sum4, e);
  }
  v128.store(end, lastWeights);
  const factor = f32x4.splat(1 / sumLanes(sum4));
  for (let at = scores; at <= end; at += 16) v128.store(at, f32x4.mul(v128.load(at), factor));
}

/** out += Σ weight_j · value_j, sixteen features at a time while that many are left: V8 has no registers for the sums of more. */
function addValues(weights: usize, values: usize, headDim: i32, count: i32, out: usize): void {
  const row = <usize>headDim * 4;
  let d = 0;
  for (; d + 16 <= headDim; d += 16) {
    const at = out + ((<usize>d) << 2);
    let o0 = v128.load(at);
    let o1 = v128.load(at, 16);
    let o2 = v128.load(at, 32);
    let o3 = v128.load(at, 48);
    let value = values + ((<usize>d) << 2);
    for (let j = 0; j < count; j++) {
      const w = v128.load32_splat(weights + ((<usize>j) << 2));
      o0 = multiplyAdd(o0, w, v128.load(value));
      o1 = multiplyAdd(o1, w, v128.load(value, 16));
      o2 = multiplyAdd(o2, w, v128.load(value, 32));
      o3 = multiplyAdd(o3, w, v128.load(value, 48));
      value += row;
    }
    v128.store(at, o0);
    v128.store(at, o1, 16);
    v128.store(at, o2, 32);
    v128.store(at, o3, 48);
  }
  for (; d < headDim; d++) {
    const at = out + ((<usize>d) << 2);
    let sum = load<f32>(at);
    let value = values + ((<usize>d) << 2);
    for (let j = 0; j < count; j++) {
      sum += load<f32>(weights + ((<usize>j) << 2)) * load<f32>(value);
      value += row;
    }
    store<f32>(at, sum);
  }
}

/** Entry `b`, 0 where there is no such list. */
function entry(list: usize, b: i32): i32 {
  return list ? load<i32>(list + ((<usize>b) << 2)) : 0;
}

/** How many rows from `b` on begin alike, for as many positions, and are read together. */
function rowsTogether(prefixRows: usize, prefixLengths: usize, b: i32, batch: i32): i32 {
  const last = min(batch, b + ROWS_AT_ONCE);
  let end = b + 1;
  while (
    end < last &&
    entry(prefixRows, end) == entry(prefixRows, b) &&
    entry(prefixLengths, end) == entry(prefixLengths, b)
  )
    end++;
  return end - b;
}

/**
 * `lengths[b]` positions of row `b` are in its own cache; `k` and `v` become the next. Before them lie the first
 * `prefixLengths[b]` positions of prefix `prefixRows[b]`; both lists are 0 where nothing does.
 */
export function decodeAttention(
  q: usize,
  k: usize,
  v: usize,
  cacheKeys: usize,
  cacheValues: usize,
  lengths: usize,
  prefixKeys: usize,
  prefixValues: usize,
  prefixRows: usize,
  prefixLengths: usize,
  out: usize,
  batch: i32,
  heads: i32,
  keyValueHeads: i32,
  capacity: i32,
  prefixCapacity: i32,
  headDim: i32,
  scratch: usize,
): void {
  const scale = scoreScale(headDim);
  const group = heads / keyValueHeads;
  const row = <usize>headDim * 4;
  const rowOfScores = scoreRow(prefixCapacity + capacity);
  memory.fill(out, 0, <usize>(batch * heads) * row);
  let rows = 0;
  for (let b = 0; b < batch; b += rows) {
    rows = rowsTogether(prefixRows, prefixLengths, b, batch);
    const prefix = entry(prefixRows, b);
    const before = entry(prefixLengths, b);
    for (let head = 0; head < keyValueHeads; head++) {
      const first = <usize>(b * heads + head * group) * row;
      const nextRow = <usize>heads * row;
      const shared = <usize>(prefix * keyValueHeads + head) * <usize>prefixCapacity * row;
      for (let j = 0; j < before; j += BLOCK) {
        const block = prefixKeys + shared + <usize>j * row;
        for (let r = 0; r < rows; r++)
          for (let g = 0; g < group; g++) {
            const scores = scratch + <usize>(r * group + g) * rowOfScores + ((<usize>j) << 2);
            const query = q + first + <usize>r * nextRow + <usize>g * row;
            scoreKeys(query, block, headDim, min(BLOCK, before - j), scale, scores);
          }
      }
      for (let r = 0; r < rows; r++) {
        const index = <usize>((b + r) * keyValueHeads + head);
        const keys = cacheKeys + index * <usize>capacity * row;
        const own = load<i32>(lengths + ((<usize>(b + r)) << 2));
        memory.copy(keys + <usize>own * row, k + index * row, row);
        for (let g = 0; g < group; g++) {
          const scores = scratch + <usize>(r * group + g) * rowOfScores;
          const query = q + first + <usize>r * nextRow + <usize>g * row;
          scoreKeys(query, keys, headDim, own + 1, scale, scores + ((<usize>before) << 2));
          softmax(scores, before + own + 1);
        }
      }
      for (let j = 0; j < before; j += BLOCK) {
        const block = prefixValues + shared + <usize>j * row;
        for (let r = 0; r < rows; r++)
          for (let g = 0; g < group; g++) {
            const weights = scratch + <usize>(r * group + g) * rowOfScores + ((<usize>j) << 2);
            const to = out + first + <usize>r * nextRow + <usize>g * row;
            addValues(weights, block, headDim, min(BLOCK, before - j), to);
          }
      }
      for (let r = 0; r < rows; r++) {
        const index = <usize>((b + r) * keyValueHeads + head);
        const values = cacheValues + index * <usize>capacity * row;
        const own = load<i32>(lengths + ((<usize>(b + r)) << 2));
        memory.copy(values + <usize>own * row, v + index * row, row);
        for (let g = 0; g < group; g++) {
          const weights = scratch + <usize>(r * group + g) * rowOfScores + ((<usize>before) << 2);
          addValues(weights, values, headDim, own + 1, out + first + <usize>r * nextRow + <usize>g * row);
        }
      }
    }
  }
}
