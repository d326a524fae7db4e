import { vi } from 'vitest';

// An engine without relaxed SIMD: it refuses the fused kernels, the only program of that size. A file of its own, because
// kernels are loaded once a process.
const { validate } = WebAssembly;
vi.spyOn(WebAssembly, 'validate').mockImplementation((bytes) => bytes.byteLength < 10_000 && validate(bytes));

await import('./ops.test.js');
await import('./causal-attention.test.js');
await import('./selected-logprobs.test.js');
