import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FakeHub, startFakeHub } from '../pretrained/fake-hub.js';
import { pretrainedPath } from '../pretrained/fixture.js';
import { posttrain } from './command-line.js';

const MAIN = 'a'.repeat(40);
let cache: string;
let hub: FakeHub;
beforeEach(async () => {
  cache = mkdtempSync(join(tmpdir(), 'posttrain-download-'));
  vi.stubEnv('HF_TOKEN', undefined);
  // the command silences it for its process
  vi.spyOn(console, 'debug').mockReturnValue();
  hub = await startFakeHub({
    repo: 'maker/smol',
    folder: pretrainedPath('qwen2'),
    revisions: { main: MAIN },
  });
});
afterEach(async () => {
  await hub.close();
  rmSync(cache, { recursive: true });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('prints the folder, and tells on the way how much has come', async () => {
  const { status, out, err } = await posttrain(
    'download',
    'maker/smol',
    '--cache-dir',
    cache,
    '--hub-url',
    hub.url,
  );
  expect([status, out]).toEqual([0, `${join(cache, 'models--maker--smol', 'snapshots', MAIN)}\n`]);
  const lines = err.trim().split('\n');
  expect(lines.at(-1)).toMatch(/^(\d+\.\d) of \1 MiB: [\w.]+$/);
});

it('says in one line what went wrong', async () => {
  const { status, err } = await posttrain(
    'download',
    'maker/none',
    '--cache-dir',
    cache,
    '--hub-url',
    hub.url,
  );
  expect(status).toBe(1);
  expect(err).toMatch(/^error: maker\/none \(main\): the hub refuses it: [^\n]*HF_TOKEN\n$/);
});
