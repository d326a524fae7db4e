// Four floats at a time: multiply-add, exponential, sums, and the ragged ends of rows.

/** Whether a multiply-add is one instruction that rounds once: the kernels are compiled with relaxed SIMD and without. */
export const FUSED: bool = ASC_FEATURE_RELAXED_SIMD;

/** acc + a · b. */
export function multiplyAdd(acc: v128, a: v128, b: v128): v128 {
  if (FUSED) return f32x4.relaxed_madd(a, b, acc);
  return f32x4.add(acc, f32x4.mul(a, b));
}

export function sumLanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) +
    f32x4.extract_lane(x, 1) +
    (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

export function maxLanes(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** The last `count` < 4 floats of a row; the other lanes hold `fill`. */
export function loadTail(address: usize, count: i32, fill: f32): v128 {
  let x = f32x4.splat(fill);
  if (count > 0) x = f32x4.replace_lane(x, 0, load<f32>(address));
  if (count > 1) x = f32x4.replace_lane(x, 1, load<f32>(address, 4));
  if (count > 2) x = f32x4.replace_lane(x, 2, load<f32>(address, 8));
  return x;
}

/** Stores the first `count` < 4 lanes. */
export function storeTail(address: usize, x: v128, count: i32): void {
  if (count > 0) store<f32>(address, f32x4.extract_lane(x, 0));
  if (count > 1) store<f32>(address, f32x4.extract_lane(x, 1), 4);
  if (count > 2) store<f32>(address, f32x4.extract_lane(x, 2), 8);
}

/** Added to a float below 2²², it leaves the nearest integer in the low bits of the sum. */
const ROUNDER: f32 = 12582912;

/**
 * e^x within 2 units in the last place (Cephes' expf): x = n ln 2 + r, e^x = 2^n (1 + r + r² p(r)).
 * Below -87.33 (denormal results) it is 0, above 88.37 it stays at 2^127.5; NaN stays NaN.
 */
export function exp4(x: v128): v128 {
  // pmin and pmax are one instruction each; with x first, NaN stays
  const clamped = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-87.33)), f32x4.splat(88.37));
  const rounded = multiplyAdd(f32x4.splat(ROUNDER), clamped, f32x4.splat(1.44269504088896341));
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDER));
  let r = multiplyAdd(clamped, n, f32x4.splat(-0.693359375));
  r = multiplyAdd(r, n, f32x4.splat(2.1219444e-4));
  let p = f32x4.splat(1.98756915e-4);
  p = multiplyAdd(f32x4.splat(1.3981999507e-3), p, r);
  p = multiplyAdd(f32x4.splat(8.3334519073e-3), p, r);
  p = multiplyAdd(f32x4.splat(4.1665795894e-2), p, r);
  p = multiplyAdd(f32x4.splat(1.6666665459e-1), p, r);
  p = multiplyAdd(f32x4.splat(5.0000001201e-1), p, r);
  const mantissa = f32x4.add(multiplyAdd(r, p, f32x4.mul(r, r)), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(rounded, i32x4.splat(127)), 23);
  return v128.andnot(f32x4.mul(mantissa, power), f32x4.lt(x, f32x4.splat(-87.33)));
}

/**
 * Natural logarithm of a positive normal number, in double precision: log(m 2^e), m near 1, by the series of atanh.
 * NaN and Infinity stay what they are.
 */
export function log64(x: f64): f64 {
  if (!(x < Infinity)) return x;
  const bits = reinterpret<u64>(x);
  let exponent = <i32>((bits >> 52) & 0x7ff) - 1023;
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const s = (m - 1) / (m + 1);
  const t = s * s;
  const series =
    1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * (1.0 / 13))))));
  return <f64>exponent * 0.6931471805599453 + 2 * s * series;
}
