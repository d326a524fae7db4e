// The collection is another process, so that it can be killed at once, with nothing put in order. It runs the built command (npm run build).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTrajectories } from 'posttrain/teachers/collect.node';
import { parseRecords, recordKey } from 'posttrain/teachers/records';
import { fakeGemini, gemini, MODEL, type FakeGemini } from './fake-gemini.js';
import type { Reply } from './fake-service.js';

const command = fileURLToPath(new URL('../../lib/bin/posttrain.js', import.meta.url));
const TOTAL = 24;
const CONCURRENCY = 3;

let folder: string;
let out: string;
let server: FakeGemini;
/** Told how many questions have come. */
let onQuestion: (count: number) => void;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posttrain-killed-'));
  out = join(folder, 'trajectories.jsonl');
  onQuestion = () => undefined;
  let count = 0;
  const slowly: Reply = (response, asked) => {
    onQuestion(++count);
    setTimeout(() => gemini.ok('{"actions":[]}')(response, asked), 20);
  };
  server = await fakeGemini(slowly);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function start(...more: string[]): ChildProcess {
  const options = ['--teacher', 'gemini', '--model', MODEL, '--base-url', server.url, '--out', out];
  const amounts = ['--tasks', String(TOTAL), '--concurrency', String(CONCURRENCY)];
  return spawn(process.execPath, [command, 'collect', ...options, ...amounts, ...more], {
    env: { ...process.env, GEMINI_API_KEY: 'no-key' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts, stops it at a question, and returns its status and what it said. */
async function stopAt(
  question: number,
  signal: NodeJS.Signals,
): Promise<[status: number | null, said: string]> {
  const child = start(...(existsSync(out) ? ['--resume'] : []));
  onQuestion = (count) => count === question && child.kill(signal);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream!.on('data', (text) => (said += String(text)));
  const [status] = (await once(child, 'close')) as [number | null];
  return [status, said];
}

describe('a collection', () => {
  it('that is killed keeps every answer that it has written, and asks for no more than what was under way', async () => {
    const written: string[] = [];
    for (const question of [5, 13]) {
      await stopAt(question, 'SIGKILL');
      const { records } = parseRecords(readFileSync(out, 'utf8'));
      expect(records.map(recordKey)).toEqual(expect.arrayContaining(written));
      written.splice(0, Infinity, ...records.map(recordKey));
    }
    const [status, said] = await stopAt(Infinity, 'SIGKILL');
    expect(status).toBe(0);
    expect(said).toContain(`0 of ${TOTAL} answers kept`);
    const keys = readTrajectories(out).map(recordKey);
    expect(keys).toHaveLength(TOTAL);
    expect(new Set(keys).size).toBe(TOTAL);
    expect(server.questions().length).toBeLessThanOrEqual(TOTAL + 2 * CONCURRENCY);
  }, 120_000);

  it('that is interrupted leaves a whole file, says how to go on, and ends with status 130', async () => {
    const [status, said] = await stopAt(7, 'SIGINT');
    expect(status).toBe(130);
    expect(said).toMatch(/Stopped\. Go on with the same command and --resume\./);
    expect(said).not.toContain('no-key');
    expect(parseRecords(readFileSync(out, 'utf8')).torn).toBe('');
    expect((await stopAt(Infinity, 'SIGINT'))[0]).toBe(0);
    expect(readTrajectories(out)).toHaveLength(TOTAL);
  }, 120_000);
});
