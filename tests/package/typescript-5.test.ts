import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const { exports } = JSON.parse(readFileSync('lib/package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
};

it('every public type is one that cells can be checked against, by the compiler of notebooks', async () => {
  const options =
    '--noEmit --target es2022 --module esnext --moduleResolution node10 --lib es2022,dom --types node';
  const files = Object.values(exports).map(({ types }) => types.replace('./', 'lib/'));
  // unlike in a notebook, declarations are checked, too: what TypeScript 5.0 does not know would silently become `any`
  const { stdout } = await promisify(execFile)(process.execPath, [
    'node_modules/@tslab/typescript-for-tslab/bin/tsc',
    ...options.split(' '),
    ...files,
  ]).catch((error: { readonly stdout: string }) => error);
  expect(stdout.split('\n').filter((line) => line.startsWith('lib/'))).toEqual([]);
}, 120_000);
