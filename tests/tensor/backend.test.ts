import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { doctor, formatDoctorReport, initBackend } from 'posttrain/tensor';
import { nativePackageFolder } from 'posttrain/tensor/native/place.node';

describe('initBackend', () => {
  afterEach(() => {
    delete process.env['POSTTRAIN_BACKEND'];
  });

  it('starts the back end that was asked for', async () => {
    for (const backend of ['cpu', 'wasm'] as const) {
      expect(await initBackend({ backend })).toEqual({ backend, skipped: {} });
      expect(tf.getBackend()).toBe(backend);
    }
  });

  it('obeys POSTTRAIN_BACKEND where no option is given', async () => {
    process.env['POSTTRAIN_BACKEND'] = 'cpu';
    expect((await initBackend()).backend).toBe('cpu');
    expect((await initBackend({ backend: 'wasm' })).backend).toBe('wasm');
  });

  it('says why better back ends were passed over', async () => {
    const { backend, skipped } = await initBackend();
    const better = ['tensorflow', 'webgpu', 'wasm', 'cpu'].slice(
      0,
      ['tensorflow', 'webgpu', 'wasm', 'cpu'].indexOf(backend),
    );
    expect(Object.keys(skipped)).toEqual(better);
    for (const reason of Object.values(skipped)) expect(reason.length).toBeGreaterThan(5);
  });

  it('does not even load TensorFlow for the CPU unless it is asked for by name', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'posttrain-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
    vi.stubEnv('POSTTRAIN_BACKEND', undefined);
    try {
      const folder = nativePackageFolder('cpu');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"main": "index.js"}');
      writeFileSync(join(folder, 'index.js'), 'throw new Error("it was loaded")');
      expect((await initBackend()).skipped.tensorflow).toMatch(
        /samples .* more slowly: only when asked for by name/,
      );
      await expect(initBackend({ backend: 'tensorflow' })).rejects.toThrow(/it was loaded/);
    } finally {
      vi.unstubAllEnvs();
      rmSync(cache, { recursive: true });
    }
  });

  it('refuses an unknown name, naming where it came from', async () => {
    await expect(initBackend({ backend: 'cuda' as 'cpu' })).rejects.toThrow(
      /backend is "cuda"; choose one of auto, tensorflow/,
    );
    process.env['POSTTRAIN_BACKEND'] = 'Wasm';
    await expect(initBackend()).rejects.toThrow(/POSTTRAIN_BACKEND is "Wasm"/);
  });

  it('refuses a back end that is not here, with the reason and a way out', async () => {
    const { skipped } = await initBackend();
    for (const [backend, reason] of Object.entries(skipped)) {
      if (/by name/.test(reason)) continue;
      await expect(initBackend({ backend: backend as 'webgpu' })).rejects.toThrow(
        /not available: .*(auto|wasm)/,
      );
    }
  });
});

describe('doctor', () => {
  it('reports what was found and leaves the chosen back end running', async () => {
    const report = await doctor();
    expect(tf.getBackend()).toBe(report.chosen);
    expect(report.runtime).toContain(process.version);
    expect(report.simd).toBe(true);
    expect(report.backends.map(({ name }) => name)).toEqual(['tensorflow', 'webgpu', 'wasm', 'cpu']);
    for (const { problem, gflops } of report.backends)
      expect((problem === undefined) !== (gflops === undefined)).toBe(true);
    const text = formatDoctorReport(report);
    expect(text).toMatch(new RegExp(`^\\* ${report.chosen}`, 'm'));
    expect(text).toMatch(/GFLOP\/s/);
  });

  it('prints a report', () => {
    expect(
      formatDoctorReport({
        runtime: 'Node v20.19.0',
        cores: 2,
        simd: true,
        tfjsVersion: '4.22.0',
        chosen: 'wasm',
        backends: [
          { name: 'tensorflow', problem: 'needs Node' },
          { name: 'webgpu', gflops: 1.234, details: 'google: SwiftShader, in software' },
          { name: 'wasm', gflops: 40.04 },
        ],
      }),
    ).toBe(
      [
        'runtime      Node v20.19.0, 2 cores',
        'wasm SIMD    yes',
        'tfjs         4.22.0',
        '  tensorflow needs Node',
        '  webgpu     works, 1.23 GFLOP/s: google: SwiftShader, in software',
        '* wasm       works, 40 GFLOP/s',
        '* is used unless POSTTRAIN_BACKEND or an option says otherwise',
      ].join('\n'),
    );
  });
});
