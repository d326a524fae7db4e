// max(x, 0)², element by element.
import { loadTail, storeTail } from './vector';

function positive4(x: v128): v128 {
  return f32x4.max(x, f32x4.splat(0));
}

function squared4(x: v128): v128 {
  const p = positive4(x);
  return f32x4.mul(p, p);
}

export function reluSquared(x: usize, out: usize, n: i32): void {
  const end = x + ((<usize>(n & ~3)) << 2);
  for (; x < end; x += 16) {
    v128.store(out, squared4(v128.load(x)));
    out += 16;
  }
  storeTail(out, squared4(loadTail(x, n & 3, 0)), n & 3);
}

/** d max(x, 0)² / dx = 2 max(x, 0). */
function slope4(x: v128, dy: v128): v128 {
  const p = positive4(x);
  return f32x4.mul(dy, f32x4.add(p, p));
}

export function reluSquaredGradient(x: usize, dy: usize, dx: usize, n: i32): void {
  const end = x + ((<usize>(n & ~3)) << 2);
  for (; x < end; x += 16) {
    v128.store(dx, slope4(v128.load(x), v128.load(dy)));
    dy += 16;
    dx += 16;
  }
  storeTail(dx, slope4(loadTail(x, n & 3, 0), loadTail(dy, n & 3, 0)), n & 3);
}
