import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { initBackend } from 'posttrain/tensor';

const backends = ['wasm', 'cpu'] as const;

/** Declares the tests of `declare` on every back end; each must leave as many tensors as it found. */
export function onEachBackend(what: string, declare: (backend: (typeof backends)[number]) => void): void {
  describe.each(backends)(`${what} on %s`, (backend) => {
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
