// y = (x - μ) r w + b with r = 1 / sqrt(variance + eps), over rows of `size` features.
import { loadTail, multiplyAdd, storeTail, sumLanes } from './vector';

/** Bytes of the whole vectors of a row. */
function wholeBytes(size: i32): usize {
  return (<usize>(size & ~3)) << 2;
}

function mean(x: usize, size: i32): f32 {
  const whole = wholeBytes(size);
  let sum4 = loadTail(x + whole, size & 3, 0);
  for (let at: usize = 0; at < whole; at += 16) sum4 = f32x4.add(sum4, v128.load(x + at));
  return sumLanes(sum4) / <f32>size;
}

/** From the centred values: a difference of two large sums would lose what is small in both. */
function inverseDeviation(x: usize, centre: f32, size: i32, eps: f32): f32 {
  const whole = wholeBytes(size);
  const centre4 = f32x4.splat(centre);
  const last = f32x4.sub(loadTail(x + whole, size & 3, centre), centre4);
  let sum4 = f32x4.mul(last, last);
  for (let at: usize = 0; at < whole; at += 16) {
    const centred = f32x4.sub(v128.load(x + at), centre4);
    sum4 = multiplyAdd(sum4, centred, centred);
  }
  return <f32>(1 / Math.sqrt(<f64>(sumLanes(sum4) / <f32>size + eps)));
}

function standardise4(x: v128, centre: f32, r: f32): v128 {
  return f32x4.mul(f32x4.sub(x, f32x4.splat(centre)), f32x4.splat(r));
}

export function layerNorm(
  x: usize,
  weight: usize,
  bias: usize,
  out: usize,
  rows: i32,
  size: i32,
  eps: f32,
): void {
  const row = <usize>size * 4;
  const whole = wholeBytes(size);
  const rest = size & 3;
  const lastWeight = loadTail(weight + whole, rest, 0);
  const lastBias = loadTail(bias + whole, rest, 0);
  for (let i = 0; i < rows; i++) {
    const centre = mean(x, size);
    const r = inverseDeviation(x, centre, size, eps);
    for (let at: usize = 0; at < whole; at += 16) {
      const standard = standardise4(v128.load(x + at), centre, r);
      v128.store(out + at, multiplyAdd(v128.load(bias + at), standard, v128.load(weight + at)));
    }
    const standard = standardise4(loadTail(x + whole, rest, 0), centre, r);
    storeTail(out + whole, multiplyAdd(lastBias, standard, lastWeight), rest);
    x += row;
    out += row;
  }
}

/** dx = r (g - mean(g) - s mean(g s)) with s = (x - μ) r and g = dy w. */
function pull4(g: v128, standard: v128, meanG: f32, meanGS: f32, r: f32): v128 {
  const pulled = multiplyAdd(f32x4.splat(meanG), standard, f32x4.splat(meanGS));
  return f32x4.mul(f32x4.sub(g, pulled), f32x4.splat(r));
}

/** dx as above, dw = Σ dy s, db = Σ dy. */
export function layerNormGradient(
  x: usize,
  weight: usize,
  dy: usize,
  dx: usize,
  dWeight: usize,
  dBias: usize,
  rows: i32,
  size: i32,
  eps: f32,
): void {
  const row = <usize>size * 4;
  const whole = wholeBytes(size);
  const rest = size & 3;
  const lastWeight = loadTail(weight + whole, rest, 0);
  memory.fill(dWeight, 0, row);
  memory.fill(dBias, 0, row);
  for (let i = 0; i < rows; i++) {
    const centre = mean(x, size);
    const r = inverseDeviation(x, centre, size, eps);
    const lastStandard = standardise4(loadTail(x + whole, rest, centre), centre, r);
    const lastDy = loadTail(dy + whole, rest, 0);
    const lastG = f32x4.mul(lastDy, lastWeight);
    let sumG = lastG;
    let sumGS = f32x4.mul(lastG, lastStandard);
    for (let at: usize = 0; at < whole; at += 16) {
      const d = v128.load(dy + at);
      const g = f32x4.mul(d, v128.load(weight + at));
      const standard = standardise4(v128.load(x + at), centre, r);
      sumG = f32x4.add(sumG, g);
      sumGS = multiplyAdd(sumGS, g, standard);
      v128.store(dWeight + at, multiplyAdd(v128.load(dWeight + at), d, standard));
      v128.store(dBias + at, f32x4.add(v128.load(dBias + at), d));
    }
    const weightSum = multiplyAdd(loadTail(dWeight + whole, rest, 0), lastDy, lastStandard);
    storeTail(dWeight + whole, weightSum, rest);
    storeTail(dBias + whole, f32x4.add(loadTail(dBias + whole, rest, 0), lastDy), rest);

    const meanG = sumLanes(sumG) / <f32>size;
    const meanGS = sumLanes(sumGS) / <f32>size;
    for (let at: usize = 0; at < whole; at += 16) {
      const g = f32x4.mul(v128.load(dy + at), v128.load(weight + at));
      const standard = standardise4(v128.load(x + at), centre, r);
      v128.store(dx + at, pull4(g, standard, meanG, meanGS, r));
    }
    storeTail(dx + whole, pull4(lastG, lastStandard, meanG, meanGS, r), rest);
    x += row;
    dy += row;
    dx += row;
  }
}
