import { beforeAll, expect, it } from 'vitest';
import { createWebEngine } from 'posttrain/engine';
import { disposeModel } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';
import { tinyModel } from './tiny.js';

beforeAll(async () => {
  await initBackend({ backend: 'wasm' });
});

it('computes in its own thread where there are no Web Workers, and says so', async () => {
  const model = tinyModel();
  const { engine, workers, problem } = createWebEngine(model, { workers: 2 });
  expect(workers).toBe(0);
  expect(problem).toMatch(/no Web Workers here; in Node use createPooledEngine of posttrain\/node/);
  expect(await engine.logprobs([{ tokens: Int32Array.of(1, 2), mask: [0, 1] }])).toHaveLength(1);
  engine.dispose();
  disposeModel(model);
});

it.each([0, 1.5, Number.NaN])('refuses %d workers', (workers) => {
  expect(() => createWebEngine(tinyModel(), { workers })).toThrow(/whole number from 1 on/);
});
