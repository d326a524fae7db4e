// AdamW and the size of a gradient.
import { loadTail, multiplyAdd, storeTail } from './vector';

/**
 * m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g²; p = decay p - rate m / (sqrt(v correction) + eps),
 * with g scaled first. Outputs may be the inputs.
 */
export function adamW(
  param: usize,
  grad: usize,
  m: usize,
  v: usize,
  newParam: usize,
  newM: usize,
  newV: usize,
  n: i32,
  gradScale: f32,
  beta1: f32,
  keep1: f32,
  beta2: f32,
  keep2: f32,
  decay: f32,
  rate: f32,
  correction: f32,
  eps: f32,
): void {
  for (let i = 0; i < n; i += 4) {
    const at = (<usize>i) << 2;
    const rest = n - i;
    const whole = rest >= 4;
    const g = f32x4.mul(whole ? v128.load(grad + at) : loadTail(grad + at, rest, 0), f32x4.splat(gradScale));
    const oldM = whole ? v128.load(m + at) : loadTail(m + at, rest, 0);
    const oldV = whole ? v128.load(v + at) : loadTail(v + at, rest, 0);
    const oldParam = whole ? v128.load(param + at) : loadTail(param + at, rest, 0);
    const nextM = multiplyAdd(f32x4.mul(oldM, f32x4.splat(beta1)), g, f32x4.splat(keep1));
    const nextV = multiplyAdd(f32x4.mul(oldV, f32x4.splat(beta2)), f32x4.mul(g, g), f32x4.splat(keep2));
    const size = f32x4.add(f32x4.sqrt(f32x4.mul(nextV, f32x4.splat(correction))), f32x4.splat(eps));
    const step = f32x4.div(f32x4.mul(nextM, f32x4.splat(rate)), size);
    const nextParam = f32x4.sub(f32x4.mul(oldParam, f32x4.splat(decay)), step);
    if (whole) {
      v128.store(newM + at, nextM);
      v128.store(newV + at, nextV);
      v128.store(newParam + at, nextParam);
    } else {
      storeTail(newM + at, nextM, rest);
      storeTail(newV + at, nextV, rest);
      storeTail(newParam + at, nextParam, rest);
    }
  }
}

/** Σ x², added up in double precision. */
export function sumOfSquares(x: usize, n: i32): f64 {
  let sum2 = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const x4 = v128.load(x + ((<usize>i) << 2));
    const low = f64x2.promote_low_f32x4(x4);
    const high = f64x2.promote_low_f32x4(i64x2.shuffle(x4, x4, 1, 1));
    sum2 = f64x2.add(sum2, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
  }
  let sum = f64x2.extract_lane(sum2, 0) + f64x2.extract_lane(sum2, 1);
  for (; i < n; i++) {
    const value = <f64>load<f32>(x + ((<usize>i) << 2));
    sum += value * value;
  }
  return sum;
}
