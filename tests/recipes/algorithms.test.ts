/** The comparison of all algorithms from one SFT checkpoint: its short form, and what its record claims. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagramAlgorithms } from 'posttrain/recipes/diagram/algorithms.node';
import type { Measured } from 'posttrain/recipes/trainers/experiment';
import { startTestBackend } from '../tensor/backends.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meanOf, recordOf, refuted } from './trainers/recorded.js';

const out = mkdtempSync(join(tmpdir(), 'posttrain-algorithms-'));
const experiment = diagramAlgorithms({
  out,
  base: fileURLToPath(new URL('../../data/base', import.meta.url)),
  workers: 1,
  signal: new AbortController().signal,
  emit: () => undefined,
});
const { quick, full } = experiment.settings;
/** One of each kind of trainer: the others differ in settings. */
const kinds = ['SFT', 'best of 8', 'RFT', 'PPO', 'Dr. GRPO', 'OPD', 'GKD'];
const settings = {
  ...quick,
  algorithms: Object.fromEntries(kinds.map((name) => [name, quick.algorithms[name]!])),
};

async function measure(): Promise<{ readonly measured: Measured; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const work = experiment.measure(1, settings);
  for (;;) {
    const next = await work.next();
    if (next.done === true) return { measured: next.value, notes };
    notes.push(next.value.note);
  }
}

describe('algorithms on as many episodes', () => {
  beforeAll(startTestBackend);
  afterAll(() => rmSync(out, { recursive: true }));

  it('go on from one checkpoint, each with its budget; what is finished is not run again', async () => {
    const { measured, notes } = await measure();
    expect(Object.keys(measured.arms)).toEqual(kinds);
    expect(notes).toContain('PPO, step 1 of 2');
    const numbers = (arm: string, name: string): number => measured.arms[arm]?.[name] as number;
    // nothing was learned: the policy is where it was
    expect(Math.abs(numbers('SFT', 'kl'))).toBeLessThan(1e-3);
    // a few samples estimate it, with either sign
    for (const arm of ['PPO', 'OPD', 'GKD']) expect(Math.abs(numbers(arm, 'kl'))).toBeGreaterThan(2e-3);
    expect(numbers('SFT', 'episodes')).toBe(0);
    expect(numbers('PPO', 'episodes')).toBe(quick.episodes);
    expect(numbers('OPD', 'episodes')).toBeLessThanOrEqual(quick.episodes / 5);
    expect(Object.values(measured.curves['reward']!).every((line) => line.length > 0)).toBe(true);

    const again = await measure();
    expect(again.measured).toEqual(measured);
    expect(again.notes).not.toContain('PPO, step 1 of 2');
  }, 300_000);

  it('have the same learning rate and batch, whatever they are', () => {
    const { algorithms, episodes } = full;
    for (const name of ['REINFORCE', 'RLOO', 'PPO', 'GRPO', 'DAPO', 'Dr. GRPO']) {
      const { config } = algorithms[name] as unknown as { readonly config: Record<string, number> };
      expect(config['promptsPerStep']! * config['numGenerations']!, name).toBe(128);
      expect(config['maxSteps']! * 128, name).toBe(episodes);
      expect(config['learningRate'], name).toBe(1.5e-4);
    }
  });

  it('came to what the record says: distillation of sampled tokens ends just below GRPO', () => {
    const record = recordOf(experiment);
    expect(refuted(record)).toEqual(['OPD reaches GRPO’s reward with a fifth of the episodes']);
    const [opd, grpo] = ['OPD', 'GRPO'].map((arm) => meanOf(record, arm, 'reward')) as [number, number];
    expect(grpo - opd).toBeLessThan(0.005);
    // what the remarks say of the others
    const success = (arm: string): number => meanOf(record, arm, 'success');
    expect(success('GRPO') - success('RFT')).toBeLessThan(0.01);
    expect(success('GRPO') - success('PPO')).toBeGreaterThan(0.05);
  });
});
