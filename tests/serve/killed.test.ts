import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openJournal, readJournal } from '../../lib/src/serve/journal.node.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** `posttrain serve` as users start it; the address is what it prints. */
async function start(journal: string): Promise<{ url: string; said: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    ['lib/bin/posttrain.js', 'serve', '--env', 'key-door', '--port', '0', '--journal', journal],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  let said = '';
  for await (const chunk of child.stdout!) {
    said += String(chunk);
    const url = /http:\/\/\S+:\d+/.exec(said)?.[0];
    if (url !== undefined) return { url, said, child };
  }
  throw new Error(`the server ended: ${said}`);
}

async function post(url: string, body: object) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

const journalFile = (): string => join(mkdtempSync(join(tmpdir(), 'posttrain-serve-')), 'journal.jsonl');

describe('a server that was killed', () => {
  it('brings back every step that it has acknowledged', async () => {
    const journal = journalFile();
    const first = await start(journal);
    const acknowledged = new Map<string, number>();
    const ended = once(first.child, 'exit');
    // many clients step as fast as they can until the server dies under them
    const play = async (id: string): Promise<void> => {
      await post(`${first.url}/reset`, { episode_id: id, task_id: 'door-red' });
      acknowledged.set(id, 0);
      for (let turn = 1; turn <= 6; turn++) {
        await post(`${first.url}/step`, { episode_id: id, action: { text: 'red' } });
        acknowledged.set(id, turn);
      }
    };
    const playing = Array.from({ length: 40 }, (_, n) => play(`e${n}`).catch(() => {}));
    while (![...acknowledged.values()].some((steps) => steps >= 3))
      await new Promise((r) => setTimeout(r, 1));
    first.child.kill('SIGKILL');
    await Promise.all([...playing, ended]);

    const second = await start(journal);
    for (const [id, steps] of acknowledged) {
      const state = await (await fetch(`${second.url}/state?episode_id=${id}`)).json();
      // one more may have happened whose answer was lost
      expect([steps, steps + 1]).toContain(state.step_count);
      for (let turn = state.step_count; turn < 6; turn++)
        await post(`${second.url}/step`, { episode_id: id, action: { text: 'red' } });
      expect((await (await fetch(`${second.url}/state?episode_id=${id}`)).json()).total_reward).toBe(1);
    }
    expect(acknowledged.size).toBeGreaterThan(0);
  }, 60_000);
});

describe('the journal', () => {
  const entries = [
    { reset: 'a', task_id: 'door-red' },
    { step: 'a', text: 'red\n"x"', request_id: 'r' },
    { close: 'a' },
  ];

  it('gives back what was written, without a line that was cut off', () => {
    const file = journalFile();
    const journal = openJournal(file, 'door', () => []);
    for (const entry of entries) journal.write(entry);
    journal.close();
    appendFileSync(file, '{"reset":"b","tas');
    expect(readJournal(file, 'door')).toEqual(entries);
    expect(readJournal(`${file}.none`, 'door')).toEqual([]);
  });

  it('begins anew with what is alive once it has grown long', () => {
    const file = journalFile();
    const alive = [{ reset: 'z', task_id: 'door-red' }];
    const journal = openJournal(file, 'door', () => alive);
    for (let n = 0; n < 100; n++) journal.write({ step: 'z', text: 'x'.repeat(100_000) });
    journal.close();
    expect(readFileSync(file).length).toBeLessThan(9_000_000);
    expect(readJournal(file, 'door')[0]).toEqual(alive[0]);
  });

  it('is not read for another world, nor when it is damaged', () => {
    const file = journalFile();
    openJournal(file, 'door', () => entries).close();
    expect(() => readJournal(file, 'diagram')).toThrow(
      /has episodes of "door", not of "diagram"; name another --journal/,
    );
    writeFileSync(file, readFileSync(file, 'utf8').replace('{"close"', '{close'));
    expect(() => readJournal(file, 'door')).toThrow(/journal\.jsonl:4 is damaged/);
    writeFileSync(file, 'hello\n');
    expect(() => readJournal(file, 'door')).toThrow(/this is no journal/);
  });

  it('does not go on listening when its journal cannot be used', async () => {
    const file = journalFile();
    openJournal(file, 'another world', () => []).close();
    const child = spawn(
      process.execPath,
      ['lib/bin/posttrain.js', 'serve', '--env', 'key-door', '--port', '0', '--journal', file],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    children.push(child);
    let said = '';
    child.stderr!.on('data', (chunk) => (said += String(chunk)));
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(said).toMatch(/has episodes of "another world"/);
  });
});
