import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['**/dist/', '**/node_modules/', 'runs/', 'book/', 'data/', 'lib/kernels/']),
  tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
    },
  },
  {
    // Sources of notebooks: a cell prints, and its last expression is shown.
    files: ['notebooks/**/*.ts', 'tests/notebook/notebooks/*.ts'],
    rules: { 'no-console': 'off', '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    // Seeded runs stay seeded: our own random numbers only, and no clock where a result could depend on it.
    files: ['lib/src/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use randomStream from tensor/random.' },
      ],
    },
  },
  {
    files: ['lib/src/**/*.ts'],
    ignores: ['**/*.node.ts', 'lib/src/cli/main.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'Only files with `.node.` in their name may.' }] },
      ],
    },
  },
);
