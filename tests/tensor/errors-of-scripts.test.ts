import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Runs an ES module in a process of its own, on the built library (npm run build). */
function runScript(source: string): { readonly status: number | null; readonly err: string } {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: new URL('../../lib', import.meta.url),
    env: { ...process.env, POSTTRAIN_BACKEND: 'wasm', NODE_OPTIONS: '' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, err: stderr };
}

const start = `
  import { initBackend } from 'posttrain/tensor';
  await initBackend({ backend: 'wasm' });`;

describe('an error in a script after initBackend', () => {
  it.each([
    ['thrown', "throw new RangeError('of the reader');"],
    ['thrown later', "setTimeout(() => { throw new RangeError('of the reader'); });"],
    ['of a promise', "void Promise.reject(new RangeError('of the reader')); setTimeout(() => {}, 1000);"],
  ])('%s: is shown as Node shows it, with status 1', (_, line) => {
    const { status, err } = runScript(`${start}\n${line}`);
    expect(err).toContain('RangeError: of the reader');
    expect(err).not.toMatch(/throw ex|throw reason|tf-backend-wasm/);
    expect(status).toBe(1);
  });

  it('leaves the listeners that were there before', () => {
    const { status, err } = runScript(`
      process.on('uncaughtException', ({ message }) => { console.error('caught', message); process.exitCode = 3; });
      ${start}
      throw new Error('of the reader');`);
    expect(err).toBe('caught of the reader\n');
    expect(status).toBe(3);
  });
});

it('the CPU back end starts without advertising another', () => {
  const { status, err } = runScript(`
    import { initBackend } from 'posttrain/tensor';
    import { scalar, square } from '@tensorflow/tfjs-core';
    await initBackend({ backend: 'cpu' });
    if (square(scalar(2)).dataSync()[0] !== 4) process.exitCode = 4;`);
  expect(err).toBe('');
  expect(status).toBe(0);
});

describe('a model before initBackend', () => {
  it.each(['', 'void initBackend();'])('says what to call first %s', (before) => {
    const { status, err } = runScript(`
      import { initBackend } from 'posttrain/tensor';
      import { createModel } from 'posttrain/model';
      ${before}
      createModel({
        modelType: 'llama', vocabSize: 16, hiddenSize: 8, intermediateSize: 16, numHiddenLayers: 1, numAttentionHeads: 1,
        numKeyValueHeads: 1, headDim: 8, maxPositionEmbeddings: 8, ropeTheta: 10000, rmsNormEps: 1e-6, tieWordEmbeddings: true,
      }, 1);`);
    expect(err).toContain('call \`await initBackend()\` first');
    expect(status).toBe(1);
  });
});
