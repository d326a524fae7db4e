import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['tests/browser/*.browser.ts'],
    // a GPU in software takes a quarter of a minute a step
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
