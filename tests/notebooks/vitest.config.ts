import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['tests/notebooks/*.notebooks.ts'],
    // two notebooks at a time, each in a process of its own
    maxConcurrency: 2,
    testTimeout: 900_000,
  },
});
