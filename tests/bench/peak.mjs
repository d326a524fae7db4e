// What one core can do at most in 128-bit SIMD: what a matrix product is measured against.
import { setFlagsFromString } from 'node:v8';
import asc from 'assemblyscript/asc';

/** Sums that do not wait for each other: enough to hide how long each addition takes. */
const CHAINS = 12;
const ROUNDS = 20_000;

const program = (multiplyAdd) => {
  const chains = Array.from({ length: CHAINS }, (_, i) => `c${i}`);
  return `export function run(rounds: i32, x: f32, y: f32): f32 {
    const a = f32x4.splat(x);
    const b = f32x4.splat(y);
    ${chains.map((c) => `let ${c} = f32x4.splat(0);`).join('\n')}
    for (let i = 0; i < rounds; i++) {
      ${chains.map((c) => `${c} = ${multiplyAdd(c)};`).join('\n')}
    }
    return f32x4.extract_lane(${chains.reduce((sum, c) => `f32x4.add(${sum}, ${c})`)}, 0);
  }`;
};

async function speedOf(multiplyAdd) {
  const { binary, error, stderr } = await asc.compileString(program(multiplyAdd), {
    optimizeLevel: 3,
    enable: ['simd', 'relaxed-simd'],
    runtime: 'stub',
  });
  if (error) throw new Error(stderr.toString());
  const { instance } = await WebAssembly.instantiate(binary, { env: { abort: () => undefined } });
  const times = Array.from({ length: 300 }, () => {
    const start = performance.now();
    instance.exports.run(ROUNDS, 0.5, 0.25);
    return performance.now() - start;
  });
  return (2 * 4 * CHAINS * ROUNDS) / Math.min(...times) / 1e6;
}

/** GFLOP/s of one core, with multiply-adds in one instruction or in two, whichever is faster. */
export async function simdPeak() {
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  return Math.max(
    await speedOf((c) => `f32x4.add(f32x4.mul(${c}, a), b)`),
    await speedOf((c) => `f32x4.relaxed_madd(${c}, a, b)`),
  );
}
