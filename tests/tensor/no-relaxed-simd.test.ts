import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import { initBackend, linear } from 'posttrain/tensor';

// An engine without relaxed SIMD: it refuses the fused kernels, the only program of that size. A file of its own, because
// kernels are loaded once a process.
const { validate } = WebAssembly;
vi.spyOn(WebAssembly, 'validate').mockImplementation((bytes) => bytes.byteLength < 10_000 && validate(bytes));

it('an engine without relaxed SIMD gets kernels that round product and sum', async () => {
  await initBackend({ backend: 'wasm' });
  // (1 + 2⁻¹²)² = 1 + 2⁻¹¹ + 2⁻²⁴, whose last term one rounding keeps and two lose
  const x = 1 + 2 ** -12;
  const [value] = tf.tidy(() =>
    linear(tf.tensor2d([[x]]), tf.tensor2d([[x]]), tf.tensor1d([-1 - 2 ** -11])).dataSync(),
  );
  expect(value).toBe(0);
});

await import('./ops.test.js');
await import('./causal-attention.test.js');
await import('./selected-logprobs.test.js');
