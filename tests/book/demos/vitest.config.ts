import { defineConfig } from 'vitest/config';
import base from '../../../vitest.config.js';

/** The demos in a browser, on a page of their own. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['tests/book/demos/*.browser.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
