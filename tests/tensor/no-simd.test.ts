import { expect, it, vi } from 'vitest';
import { initBackend } from 'posttrain/tensor';

// A file of its own: a back end that was imported once has asked already.
it('an engine without wasm SIMD is told so, and gets the next back end', async () => {
  vi.stubEnv('POSTTRAIN_BACKEND', undefined);
  vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
  await expect(initBackend({ backend: 'wasm' })).rejects.toThrow(/"wasm" is not available: .*no wasm SIMD/);
  const { backend, skipped } = await initBackend();
  expect(backend).toBe('cpu');
  expect(skipped.wasm).toMatch(/no wasm SIMD/);
});
