// Rotary position embedding: features i and i + Dh/2 turn together. `direction` -1 turns back, which is the gradient.

export function rotary(
  x: usize,
  positions: usize,
  cosines: usize,
  sines: usize,
  out: usize,
  tokens: i32,
  heads: i32,
  headDim: i32,
  direction: f32,
): void {
  const half = headDim / 2;
  const halfBytes = <usize>half * 4;
  const direction4 = f32x4.splat(direction);
  for (let t = 0; t < tokens; t++) {
    const tableRow = <usize>load<i32>(positions + ((<usize>t) << 2)) * halfBytes;
    const cos = cosines + tableRow;
    const sin = sines + tableRow;
    for (let h = 0; h < heads; h++) {
      let d = 0;
      for (; d + 4 <= half; d += 4) {
        const at = (<usize>d) << 2;
        const first = v128.load(x + at);
        const second = v128.load(x + at + halfBytes);
        const c = v128.load(cos + at);
        const s = f32x4.mul(v128.load(sin + at), direction4);
        v128.store(out + at, f32x4.sub(f32x4.mul(first, c), f32x4.mul(second, s)));
        v128.store(out + at + halfBytes, f32x4.add(f32x4.mul(second, c), f32x4.mul(first, s)));
      }
      for (; d < half; d++) {
        const at = (<usize>d) << 2;
        const first = load<f32>(x + at);
        const second = load<f32>(x + at + halfBytes);
        const c = load<f32>(cos + at);
        const s = load<f32>(sin + at) * direction;
        store<f32>(out + at, first * c - second * s);
        store<f32>(out + at + halfBytes, second * c + first * s);
      }
      x += 2 * halfBytes;
      out += 2 * halfBytes;
    }
  }
}
