// Softmax of one row, bit for bit tfjs's: XNNPACK's f32 kernels in the same order of additions, so that sampling draws the
// same tokens whether a back end has our sampler or not. (exp4 of vector.ts is more exact, and therefore different.)
import { loadTail, maxLanes, storeTail, sumLanes } from './vector';

/** acc + a · b, rounded twice as XNNPACK's is: never a fused multiply-add. */
function multiplyThenAdd(acc: v128, a: v128, b: v128): v128 {
  return f32x4.add(acc, f32x4.mul(a, b));
}

/** e^x for x ≤ 0 (XNNPACK's "rr2-p5"): x = n ln 2 + t, e^x = 2^n (1 + t p(t)); 0 where the result would be denormal. */
function expMinus4(x: v128): v128 {
  const magic = f32x4.splat(12583039);
  let n = multiplyThenAdd(magic, x, f32x4.splat(1.4426950216293335));
  const power = i32x4.shl(n, 23);
  n = f32x4.sub(n, magic);
  let t = multiplyThenAdd(x, n, f32x4.splat(-0.693145751953125));
  t = multiplyThenAdd(t, n, f32x4.splat(-0.000001428606765330187));
  let p = multiplyThenAdd(f32x4.splat(0.04189782217144966), t, f32x4.splat(0.008289290592074394));
  p = multiplyThenAdd(f32x4.splat(0.16667652130126953), p, t);
  p = multiplyThenAdd(f32x4.splat(0.4999915063381195), p, t);
  p = multiplyThenAdd(f32x4.splat(0.9999997019767761), p, t);
  const e = multiplyThenAdd(power, f32x4.mul(t, power), p);
  return v128.andnot(e, f32x4.lt(x, f32x4.splat(-87.33654022216797)));
}

function largest(x: usize, whole: usize, rest: i32): f32 {
  let largest4 = loadTail(x + whole, rest, -Infinity);
  // pmax is one instruction; the NaN it passes over is met again in the sum
  for (let at: usize = 0; at < whole; at += 16) largest4 = f32x4.pmax(largest4, v128.load(x + at));
  return maxLanes(largest4);
}

/** x / temperature; dividing by 1 would take time and change nothing. */
function tempered(x: v128, temperature: f32): v128 {
  return temperature == 1 ? x : f32x4.div(x, f32x4.splat(temperature));
}

/** out = softmax(x / temperature) over `n` values; a row without a finite largest value becomes NaN. */
export function softmax(x: usize, out: usize, n: i32, temperature: f32): void {
  const whole = (<usize>(n & ~3)) << 2;
  const rest = n & 3;
  // Division keeps the order of values, and of what it rounds to the same.
  const shift = f32x4.splat(largest(x, whole, rest) / temperature);
  let sum4 = f32x4.splat(0);
  for (let at: usize = 0; at < whole; at += 16) {
    const e = expMinus4(f32x4.sub(tempered(v128.load(x + at), temperature), shift));
    v128.store(out + at, e);
    sum4 = f32x4.add(sum4, e);
  }
  const last = expMinus4(f32x4.sub(tempered(loadTail(x + whole, rest, -Infinity), temperature), shift));
  storeTail(out + whole, last, rest);
  // XNNPACK's order: lanes 0 and 2, 1 and 3, then the ragged end one by one.
  let sum = sumLanes(i32x4.shuffle(sum4, sum4, 0, 2, 1, 3));
  for (let at = whole; at < <usize>n * 4; at += 4) sum += load<f32>(out + at);
  const factor = f32x4.splat(1 / sum);
  for (let at: usize = 0; at < whole; at += 16) v128.store(out + at, f32x4.mul(v128.load(out + at), factor));
  storeTail(out + whole, f32x4.mul(last, factor), rest);
}
