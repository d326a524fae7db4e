// The run is another process, so that it can be killed as the system kills: at once, with nothing put in order. It runs the built
// command (npm run build). Two moments are tried here, fifty in `npm run test:kill` (three minutes).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRun, isFinished, type RunFolder } from 'posttrain/recipes/diagram/run-folder.node';
import { describeRun } from 'posttrain/recipes/diagram/run.node';
import { initBackend, randomStream } from 'posttrain/tensor';
import { expectSameNumbers } from './same-run.js';
import { writeTinyBase } from './tiny-base.js';
import { tinyRecipe } from './tiny-recipe.js';

const MOMENTS = process.env['npm_lifecycle_event'] === 'test:kill' ? 50 : 2;
const command = fileURLToPath(new URL('../../lib/bin/posttrain.js', import.meta.url));

/** Sixty steps of GRPO take up most of it; a checkpoint is written every other step, so that many kills fall into one. */
const recipe = { ...tinyRecipe, grpo: { ...tinyRecipe.grpo, maxSteps: 60 } };

describe('a run that is killed at a random moment', () => {
  const out = mkdtempSync(join(tmpdir(), 'posttrain-killed-'));
  const base = join(out, 'base');
  let whole: RunFolder;
  let milliseconds: number;

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    await writeTinyBase(base);
    whole = await newRun('whole');
    const started = performance.now();
    await finish(whole);
    milliseconds = performance.now() - started;
  }, 120_000);
  afterAll(() => rmSync(out, { recursive: true }));

  it.each(Array.from({ length: MOMENTS }, (_, moment) => moment))(
    'goes on to the same weights and the same log, bit for bit (moment %i)',
    async (moment) => {
      const folder = await newRun(`killed-${moment}`);
      const child = start(folder);
      await sleep(randomStream(1, 'kill', moment).uniform() * milliseconds);
      child.kill('SIGKILL');
      if (child.exitCode === null) await once(child, 'exit');
      await finish(folder);
      expectSameNumbers(folder, whole);
      rmSync(folder.path, { recursive: true });
    },
    120_000,
  );

  async function newRun(name: string): Promise<RunFolder> {
    return createRun(out, await describeRun(name, 3, recipe));
  }

  function start({ path }: RunFolder): ChildProcess {
    const name = path.slice(out.length + 1);
    const options = ['--resume', '--name', name, '--out', out, '--base', base, '--workers', '1'];
    return spawn(process.execPath, [command, 'run', 'diagram', ...options], { stdio: 'ignore' });
  }

  async function finish(folder: RunFolder): Promise<void> {
    if (isFinished(folder)) return;
    const [status] = (await once(start(folder), 'exit')) as [number | null];
    expect(status).toBe(0);
  }
});
