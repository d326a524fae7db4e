import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from 'posttrain/recipes/diagram/events';
import {
  createRun,
  finishedStages,
  openRun,
  type RunFolder,
} from 'posttrain/recipes/diagram/run-folder.node';
import { describeRun, runDiagram } from 'posttrain/recipes/diagram/run.node';
import { initBackend } from 'posttrain/tensor';
import { expectSameNumbers, filesOf } from './same-run.js';
import { writeTinyBase } from './tiny-base.js';
import { tinyRecipe as recipe } from './tiny-recipe.js';

describe('a run of all stages', () => {
  const out = mkdtempSync(join(tmpdir(), 'posttrain-run-'));
  const base = join(out, 'base');
  let whole: RunFolder;

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    await writeTinyBase(base);
    whole = createRun(out, await describeRun('whole', 3, recipe));
    await go(whole);
  }, 120_000);
  afterAll(() => rmSync(out, { recursive: true }));

  async function go(
    folder: RunFolder,
    onEvent: (event: RunEvent, stop: () => void) => void = () => {},
  ): Promise<boolean> {
    const { config } = openRun(folder.path);
    const controller = new AbortController();
    const emit = (event: RunEvent): void => onEvent(event, () => controller.abort());
    return runDiagram({ folder, config, base, workers: 1, signal: controller.signal, emit });
  }

  it('leaves config, metrics, completions, checkpoints, evaluation and report, and nothing half-written', () => {
    expect(filesOf(whole)).toEqual([
      'completions/completions_00002.jsonl',
      'config.json',
      'evaluation.json',
      'evaluation/base.json',
      'evaluation/grpo.json',
      'evaluation/sft.json',
      'grpo/config.json',
      'grpo/model.safetensors',
      'grpo/tokenizer.json',
      'metrics.jsonl',
      'report.html',
      'sft/config.json',
      'sft/model.safetensors',
      'sft/tokenizer.json',
      'stages.json',
      'teacher/trajectories.jsonl',
    ]);
    expect(Object.keys(finishedStages(whole))).toEqual(['teacher', 'sft', 'grpo', 'evaluate', 'report']);
    const steps = readFileSync(whole.metrics, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(steps).toHaveLength(5 + 3);
    expect(steps[0]).toMatchObject({ stage: 'sft', step: 1, num_tokens: expect.any(Number) as number });
    expect(steps[7]).toMatchObject({
      stage: 'grpo',
      step: 3,
      reward: expect.any(Number) as number,
      kl: expect.any(Number) as number,
    });
  });

  it('shows drawings while it learns', async () => {
    const folder = createRun(out, await describeRun('watched', 3, recipe));
    const drawings: RunEvent[] = [];
    await go(folder, (event, stop) => {
      if (event.kind !== 'step') return;
      if (event.drawing !== undefined) drawings.push(event);
      if (event.stage === 'grpo') stop();
    });
    expect(drawings.map((event) => `${event.stage} ${event.kind === 'step' ? event.step : ''}`)).toEqual([
      'sft 4',
      'grpo 1',
    ]);
  });

  it('is bit-identical when it is stopped twice and resumed', async () => {
    const folder = createRun(out, await describeRun('stopped', 3, recipe));
    const stopAt = (stage: string, step: number) => (event: RunEvent, stop: () => void) => {
      if (event.kind === 'step' && event.stage === stage && event.step === step) stop();
    };
    expect(await go(folder, stopAt('sft', 3))).toBe(false);
    expect(await go(folder, stopAt('grpo', 1))).toBe(false);
    expect(await go(folder, stopAt('evaluate', 4))).toBe(false);
    expect(await go(folder)).toBe(true);
    expectSameNumbers(folder, whole);
  });

  it('is bit-identical when the process is killed between two checkpoints', async () => {
    const folder = createRun(out, await describeRun('killed', 3, recipe));
    const dieAt = (stage: string, step: number) => (event: RunEvent) => {
      if (event.kind === 'step' && event.stage === stage && event.step === step) throw new Error('killed');
    };
    await expect(go(folder, dieAt('sft', 3))).rejects.toThrow('killed');
    await expect(go(folder, dieAt('grpo', 3))).rejects.toThrow('killed');
    expect(await go(folder)).toBe(true);
    expectSameNumbers(folder, whole);
  });

  it('depends on the seed', async () => {
    const other = createRun(out, await describeRun('other', 4, recipe));
    await go(other, (event, stop) => {
      if (event.kind === 'step' && event.stage === 'sft') stop();
    });
    expect(readFileSync(other.metrics, 'utf8').split('\n')[0]).not.toBe(
      readFileSync(whole.metrics, 'utf8').split('\n')[0],
    );
  });
});
