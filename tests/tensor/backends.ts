import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type BackendName, initBackend } from 'posttrain/tensor';

const named = process.env['POSTTRAIN_BACKEND'] as BackendName | undefined;

/**
 * Where the tests of the arithmetic run: on the back ends of a plain installation, or on the one that POSTTRAIN_BACKEND names.
 * One that is named must work; `npm run test:webgpu` and `npm run test:native` look first whether it can.
 */
export const testedBackends: readonly BackendName[] = named ? [named] : ['wasm', 'cpu'];

/** For tests of what does not depend on the arithmetic: one back end, the named one or the fastest. */
export async function startTestBackend(): Promise<void> {
  await initBackend({ backend: testedBackends[0] });
}

/** Declares the tests of `declare` on every back end; each must leave as many tensors as it found. */
export function onEachBackend(what: string, declare: (backend: BackendName) => void): void {
  describe.each(testedBackends)(`${what} on %s`, (backend) => {
    beforeAll(async () => {
      await initBackend({ backend });
    });
    let tensorsBefore = 0;
    beforeEach(() => {
      tensorsBefore = tf.memory().numTensors;
    });
    afterEach(() => expect(tf.memory().numTensors).toBe(tensorsBefore));
    declare(backend);
  });
}
