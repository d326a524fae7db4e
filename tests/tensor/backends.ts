import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type BackendName, initBackend } from 'posttrain/tensor';

/** The back ends to test: the one that POSTTRAIN_BACKEND names, else those of a plain installation. */
export const testedBackends: readonly BackendName[] = process.env['POSTTRAIN_BACKEND']
  ? [process.env['POSTTRAIN_BACKEND'] as BackendName]
  : ['wasm', 'cpu'];

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
