import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = fileURLToPath(new URL('./lib/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^posttrain\/(.*)$/, replacement: `${source}$1` },
      { find: /^posttrain$/, replacement: `${source}index.ts` },
    ],
  },
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    minWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
