import { defineConfig } from 'vitest/config';
import base from '../../../vitest.config.js';

/** The book in a browser: builds the site once, and looks at every page of it. The demos' own tests run with it. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['tests/book/**/*.browser.ts'],
    globalSetup: 'tests/book/browser/build.ts',
    testTimeout: 240_000,
    hookTimeout: 300_000,
    maxConcurrency: 2,
    expect: { poll: { timeout: 120_000 } },
  },
});
