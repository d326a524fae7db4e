// y = x r w with r = 1 / sqrt(mean(x²) + eps), over rows of `size` features.
import { multiplyAdd, sumLanes } from './vector';

function inverseRms(x: usize, size: i32, eps: f32): f32 {
  let sum4 = f32x4.splat(0);
  let d = 0;
  for (; d + 4 <= size; d += 4) {
    const x4 = v128.load(x + ((<usize>d) << 2));
    sum4 = multiplyAdd(sum4, x4, x4);
  }
  let sum = sumLanes(sum4);
  for (; d < size; d++) {
    const value = load<f32>(x + ((<usize>d) << 2));
    sum += value * value;
  }
  return <f32>(1 / Math.sqrt(<f64>(sum / <f32>size + eps)));
}

export function rmsNorm(x: usize, weight: usize, out: usize, rows: i32, size: i32, eps: f32): void {
  const row = <usize>size * 4;
  for (let i = 0; i < rows; i++) {
    const r = inverseRms(x, size, eps);
    const r4 = f32x4.splat(r);
    let d = 0;
    for (; d + 4 <= size; d += 4) {
      const at = (<usize>d) << 2;
      v128.store(out + at, f32x4.mul(f32x4.mul(v128.load(x + at), r4), v128.load(weight + at)));
    }
    for (; d < size; d++) {
      const at = (<usize>d) << 2;
      store<f32>(out + at, load<f32>(x + at) * r * load<f32>(weight + at));
    }
    x += row;
    out += row;
  }
}

/** With g = dy w: dx = r g - x r³ mean(g x), dw = Σ dy x r. */
export function rmsNormGradient(
  x: usize,
  weight: usize,
  dy: usize,
  dx: usize,
  dWeight: usize,
  rows: i32,
  size: i32,
  eps: f32,
): void {
  const row = <usize>size * 4;
  memory.fill(dWeight, 0, row);
  for (let i = 0; i < rows; i++) {
    const r = inverseRms(x, size, eps);
    const r4 = f32x4.splat(r);
    let sum4 = f32x4.splat(0);
    let d = 0;
    for (; d + 4 <= size; d += 4) {
      const at = (<usize>d) << 2;
      const product = f32x4.mul(v128.load(dy + at), v128.load(x + at));
      v128.store(dWeight + at, multiplyAdd(v128.load(dWeight + at), product, r4));
      sum4 = multiplyAdd(sum4, product, v128.load(weight + at));
    }
    let sum = sumLanes(sum4);
    for (; d < size; d++) {
      const at = (<usize>d) << 2;
      const product = load<f32>(dy + at) * load<f32>(x + at);
      store<f32>(dWeight + at, load<f32>(dWeight + at) + product * r);
      sum += product * load<f32>(weight + at);
    }
    const pull = (sum / <f32>size) * r * r * r;
    const pull4 = f32x4.splat(pull);
    d = 0;
    for (; d + 4 <= size; d += 4) {
      const at = (<usize>d) << 2;
      const straight = f32x4.mul(f32x4.mul(v128.load(dy + at), v128.load(weight + at)), r4);
      v128.store(dx + at, f32x4.sub(straight, f32x4.mul(v128.load(x + at), pull4)));
    }
    for (; d < size; d++) {
      const at = (<usize>d) << 2;
      store<f32>(dx + at, load<f32>(dy + at) * load<f32>(weight + at) * r - load<f32>(x + at) * pull);
    }
    x += row;
    dy += row;
    dx += row;
  }
}
