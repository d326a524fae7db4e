import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { ProfileAudit } from 'posttrain/cli/verify-reward';
import { posttrain } from './command-line.js';

/** Means over a task or two say nothing yet, so what there is to object to is given. */
const { objections } = vi.hoisted(() => ({ objections: vi.fn((): string[] => []) }));
vi.mock(import('posttrain/rewards/audit'), async (original) => ({ ...(await original()), objections }));

describe('posttrain verify-reward', () => {
  const dir = mkdtempSync(join(tmpdir(), 'posttrain-verify-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('prints both tables of both profiles and ends well', async () => {
    const file = join(dir, 'new', 'audit.json');
    const { status, out } = await posttrain('verify-reward', '--tasks', '2', '--json', file);
    expect(status).toBe(0);
    for (const words of [
      /Attacks on 2 curriculum tasks, seed 90210/,
      /Attacks on 2 full tasks/,
      /^keyword_box +2 +2 +0 % +0\.\d{3} .* does not pay$/m,
      /^one_arrow_labelled .* near miss$/m,
      /^a lost arrow +\d+ +0 +0 +0 +0$/m,
      /A score takes \d+ µs/,
      /the gated reward may be trained on/,
    ])
      expect(out).toMatch(words);

    const { audits, objections: found } = JSON.parse(readFileSync(file, 'utf8')) as {
      audits: ProfileAudit[];
      objections: string[];
    };
    expect(found).toEqual([]);
    expect(audits.map(({ profile, tasks }) => [profile, tasks])).toEqual([
      ['curriculum', 2],
      ['full', 2],
    ]);
    expect(audits[0]!.attacks.find(({ name }) => name === 'empty_actions')!.earnings.gated.mean).toBe(0.02);
    expect(readdirSync(join(dir, 'new'))).toEqual(['audit.json']);
  });

  it('ends with status 1 and the reasons when a cheat pays', async () => {
    objections.mockReturnValueOnce(['decoys earns 95.0 % of a right answer, more than 90 %']);
    const { status, out } = await posttrain('verify-reward', '--tasks', '1', '--profile', 'curriculum');
    expect(out).toContain(
      'The gated reward should not be trained on:\n- curriculum: decoys earns 95.0 % of a right answer, more than 90 %',
    );
    expect(status).toBe(1);
  });

  it.each([
    [['--tasks', '0'], /'--tasks <number>' argument '0' is invalid. Expected an integer, 1 or more/],
    [['--seed', 'x'], /Expected an integer, 0 or more/],
    [['--profile', 'hard'], /Allowed choices are curriculum, full/],
    [['more'], /too many arguments/],
  ])('refuses %j', async (args, message) => {
    const { status, err } = await posttrain('verify-reward', ...args);
    expect(err).toMatch(message);
    expect(status).toBe(1);
  });

  it('says when the file is a folder', async () => {
    mkdirSync(join(dir, 'folder'));
    const { status, err } = await posttrain(
      ...['verify-reward', '--tasks', '1', '--profile', 'curriculum', '--json', join(dir, 'folder')],
    );
    expect(err).toMatch(/folder: this is a folder, not a file; choose another place/);
    expect(status).toBe(1);
  });

  describe('interrupted', () => {
    afterEach(() => vi.restoreAllMocks());

    it('stops after the task and writes nothing', async () => {
      const file = join(dir, 'stopped.json');
      const listen = vi.spyOn(process, 'on');
      const running = posttrain('verify-reward', '--tasks', '500', '--json', file);
      const onSigint = await vi.waitFor(() => {
        const call = listen.mock.calls.find(([event]) => event === 'SIGINT');
        if (call === undefined) throw new Error('nobody listens yet');
        return call[1] as () => void;
      });
      onSigint();
      const { status, err, out } = await running;
      expect(err).toMatch(/Stopping after this step[^]*Stopped; nothing was written/);
      expect([status, out]).toEqual([130, '']);
      expect(readdirSync(dir)).not.toContain('stopped.json');
    });
  });
});
