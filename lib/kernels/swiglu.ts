// silu(gate) · up, where silu(x) = x σ(x).
import { exp4, loadTail, multiplyAdd, storeTail } from './vector';

function sigmoid4(x: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
}

function swiglu4(gate: v128, up: v128): v128 {
  return f32x4.mul(f32x4.mul(gate, sigmoid4(gate)), up);
}

export function swiglu(gate: usize, up: usize, out: usize, n: i32): void {
  const end = gate + ((<usize>(n & ~3)) << 2);
  for (; gate < end; gate += 16) {
    v128.store(out, swiglu4(v128.load(gate), v128.load(up)));
    up += 16;
    out += 16;
  }
  storeTail(out, swiglu4(loadTail(gate, n & 3, 0), loadTail(up, n & 3, 0)), n & 3);
}

/** d silu(x) / dx = σ (1 + x (1 - σ)). */
function gateGradient4(gate: v128, up: v128, dy: v128, s: v128): v128 {
  const one = f32x4.splat(1);
  const slope = f32x4.mul(s, multiplyAdd(one, gate, f32x4.sub(one, s)));
  return f32x4.mul(f32x4.mul(dy, up), slope);
}

export function swigluGradient(gate: usize, up: usize, dy: usize, dGate: usize, dUp: usize, n: i32): void {
  const end = gate + ((<usize>(n & ~3)) << 2);
  for (; gate < end; gate += 16) {
    const x = v128.load(gate);
    const d = v128.load(dy);
    const s = sigmoid4(x);
    v128.store(dGate, gateGradient4(x, v128.load(up), d, s));
    v128.store(dUp, f32x4.mul(d, f32x4.mul(x, s)));
    up += 16;
    dy += 16;
    dGate += 16;
    dUp += 16;
  }
  const rest = n & 3;
  const x = loadTail(gate, rest, 0);
  const d = loadTail(dy, rest, 0);
  const s = sigmoid4(x);
  storeTail(dGate, gateGradient4(x, loadTail(up, rest, 0), d, s), rest);
  storeTail(dUp, f32x4.mul(d, f32x4.mul(x, s)), rest);
}
