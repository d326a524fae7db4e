// What an install without @google/genai does. It runs the built command (npm run build).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../../lib/bin/posttrain.js', import.meta.url));
const module = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
/** Node says of the package that it is not there. */
const missing = module(`
  export async function resolve(name, context, next) {
    if (!name.startsWith('@google/genai')) return next(name, context);
    throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
  }`);
const hook = module(`import { register } from 'node:module'; register(${JSON.stringify(missing)});`);

describe('without @google/genai', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posttrain-sdk-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function collect(...args: string[]): { status: number | null; said: string } {
    const options = [
      '--import',
      hook,
      command,
      'collect',
      '--tasks',
      '2',
      '--out',
      join(folder, `${args[1]}.jsonl`),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...options, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GEMINI_API_KEY: 'no-key' },
    });
    return { status, said: stdout + stderr };
  }

  it('everything else works', () => {
    const { status, said } = collect('--teacher', 'scripted');
    expect(said).toContain('2 of 2 answers kept');
    expect(status).toBe(0);
  }, 60_000);

  it('Gemini says what to install, at once', () => {
    const { status, said } = collect('--teacher', 'gemini', '--model', 'm');
    expect(said).toMatch(
      /Gemini needs the package @google\/genai; install it: npm install @google\/genai@2\.32\.0/,
    );
    expect(status).toBe(1);
  }, 60_000);
});
