/** What only the WebGPU back end does. Runs with `npm run test:webgpu`, which finds a device. */
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { doctor, embedding, formatDoctorReport, initBackend } from 'posttrain/tensor';
import { describeGpu, type GpuDescription } from 'posttrain/tensor/webgpu/prepare';
import { limitIdleBuffers } from 'posttrain/tensor/webgpu/buffer-pool';
import { testedBackends } from '../tensor/backends.js';
import { valuesOf } from '../values.js';

describe.runIf(testedBackends.includes('webgpu'))('webgpu', () => {
  it('is chosen by itself on a real GPU only, and by name on any', async () => {
    const gpu = (await describeGpu()) as GpuDescription;
    expect(gpu.name.length).toBeGreaterThan(3);
    const { backend, skipped } = await initBackend({ backend: 'auto' });
    if (gpu.software) {
      expect(backend).toBe('wasm');
      expect(skipped.webgpu).toMatch(/only a software adapter .*by name/);
    } else expect(backend).toBe('webgpu');
    expect(await initBackend({ backend: 'webgpu' })).toEqual({ backend: 'webgpu', skipped: {} });
    expect(tf.getBackend()).toBe('webgpu');
  });

  it('is described by doctor: the device, and why it is not chosen', async () => {
    const gpu = (await describeGpu()) as GpuDescription;
    const report = formatDoctorReport(await doctor());
    expect(report).toContain(gpu.name);
    if (gpu.software) expect(report).toMatch(/webgpu .*GFLOP\/s: .*only when asked for by name$/m);
  });

  it('checks indices that come from numbers, whenever they are used, and takes those that it computed', async () => {
    await initBackend({ backend: 'webgpu' });
    const ids = tf.tensor1d([2, 0, 1], 'int32');
    const table = tf.tensor2d([1, 2, 3], [3, 1]);
    // The first use moves the ids to the device.
    expect([...(await valuesOf(() => embedding(table, ids)))]).toEqual([3, 1, 2]);
    expect(() => tf.tidy(() => embedding(tf.zeros([2, 1]), ids))).toThrow(/ids must lie in \[0, 2\), got 2/);
    expect([...(await valuesOf(() => embedding(table, ids)))]).toEqual([3, 1, 2]);
    const computed = await valuesOf(() => embedding(table, tf.argMax(tf.tensor2d([[0, 5, 1]]), 1)));
    expect([...computed]).toEqual([2]);
    tf.dispose([ids, table]);
  });

  it('does not hoard the buffers of sizes that do not come back', async () => {
    await initBackend({ backend: 'webgpu' });
    const allocated = (): number =>
      (tf.memory() as unknown as { numBytesAllocatedInGPU: number }).numBytesAllocatedInGPU;
    const kept = tf.ones([1000]);
    for (let size = 1000; size < 1020; size++) await valuesOf(() => tf.add(tf.ones([size]), 1));
    const before = allocated();
    limitIdleBuffers(2 ** 30);
    expect(allocated()).toBe(before);
    limitIdleBuffers(0);
    expect(allocated()).toBeLessThan(before / 2);
    expect([...(await valuesOf(() => tf.add(kept, tf.ones([1000]))))]).toEqual(new Array(1000).fill(2));
    kept.dispose();
  });
});
