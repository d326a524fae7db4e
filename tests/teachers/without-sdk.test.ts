// What an install without @google/genai does. It runs the built command (npm run build).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

describe('without @google/genai', () => {
  // an install of links in which it is left out: Node's own hooks for modules take a thread that is known to hang
  const folder = mkdtempSync(join(tmpdir(), 'posttrain-sdk-'));
  const repository = process.cwd();
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(repository, 'node_modules')).filter((name) => name !== '@google'))
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(join(repository, 'lib'), join(folder, 'lib'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function collect(...args: string[]): { status: number | null; said: string } {
    const command = ['--preserve-symlinks', '--preserve-symlinks-main', join(folder, 'lib/bin/posttrain.js')];
    const out = join(folder, `${args[1]}.jsonl`);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...command, 'collect', '--tasks', '2', '--out', out, ...args],
      { encoding: 'utf8', timeout: 60_000, env: { ...process.env, GEMINI_API_KEY: 'no-key' } },
    );
    return { status, said: stdout + stderr };
  }

  it('everything else works', () => {
    const { status, said } = collect('--teacher', 'scripted');
    expect(said).toContain('2 of 2 answers kept');
    expect(status).toBe(0);
  }, 120_000);

  it('Gemini says what to install, at once', () => {
    const { status, said } = collect('--teacher', 'gemini', '--model', 'm');
    expect(said).toMatch(
      /Gemini needs the package @google\/genai; install it: npm install @google\/genai@2\.32\.0/,
    );
    expect(status).toBe(1);
  }, 120_000);
});
