import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRun, finishedStages, openRun } from 'posttrain/recipes/diagram/run-folder.node';
import { describeRun, runDiagram } from 'posttrain/recipes/diagram/run.node';
import { adoptTrajectories } from 'posttrain/recipes/diagram/trajectories.node';
import { initBackend } from 'posttrain/tensor';
import { readTrajectories } from 'posttrain/teachers/collect.node';
import { fakeGemini, gemini, MODEL } from '../teachers/fake-gemini.js';
import { posttrain } from '../cli/command-line.js';
import { writeTinyBase } from './tiny-base.js';
import { tinyRecipe } from './tiny-recipe.js';

describe('a run that learns from a collection', () => {
  const dir = mkdtempSync(join(tmpdir(), 'posttrain-trajectories-'));
  const base = join(dir, 'base');
  const file = join(dir, 'trajectories.jsonl');

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    await writeTinyBase(base);
    // the form in which a model answers, spaces and all: kept whatever it is worth
    const server = await fakeGemini(
      gemini.ok(
        '```json\n{ "actions": [ { "type": "create", "shape": "text", "id": "n1", "x": 0, "y": 0, "text": "A" } ] }\n```',
      ),
    );
    process.env['GEMINI_API_KEY'] = 'no-key';
    const { status } = await posttrain(
      ...['collect', '--teacher', 'gemini', '--model', MODEL, '--base-url', server.url],
      ...['--tasks', '8', '--keep', 'all', '--out', file],
    );
    delete process.env['GEMINI_API_KEY'];
    await server.close();
    expect(status).toBe(0);
  }, 120_000);
  afterAll(() => rmSync(dir, { recursive: true }));

  it('trains on what collect wrote', async () => {
    const config = { ...(await describeRun('adopted', 3, tinyRecipe)), trajectories: file };
    const folder = createRun(dir, config);
    adoptTrajectories(folder, file);
    const stop = new AbortController();
    const losses: number[] = [];
    await runDiagram({
      folder,
      config,
      base,
      workers: 1,
      signal: stop.signal,
      emit: (event) => {
        if (event.kind === 'step' && event.stage === 'sft') losses.push(event.metrics['loss']!);
        if (event.stage === 'grpo') stop.abort();
      },
    });
    expect(losses).toHaveLength(5);
    expect(Object.keys(finishedStages(folder)).slice(0, 2)).toEqual(['teacher', 'sft']);
    expect(readTrajectories(folder.trajectories)).toEqual(readTrajectories(file));
    expect(openRun(folder.path).config.trajectories).toBe(file);
  }, 120_000);

  it.each([
    [
      'nothing kept',
      (text: string) => text.replaceAll('"rejection":null', '"rejection":"not a success"'),
      /none of the 8 answers in .* was kept/,
    ],
    [
      'tasks for evaluation',
      (text: string) => text.replace('"split":"train"', '"split":"id"'),
      /of the split "id"; only training tasks may be learned from/,
    ],
    ['a torn line', (text: string) => text.slice(0, -9), /unfinished line; resume the collection/],
  ])('is refused before it begins: %s', async (_, spoil, message) => {
    const spoilt = join(dir, 'spoilt.jsonl');
    writeFileSync(spoilt, spoil(readFileSync(file, 'utf8')));
    const { status, err } = await posttrain(
      ...['run', 'diagram', '--quick', '--out', join(dir, 'runs'), '--base', base, '--trajectories', spoilt],
    );
    expect(err).toMatch(message);
    expect(status).toBe(1);
  });

  it('has SFT', async () => {
    const { err } = await posttrain('run', 'diagram', '--from', 'base', '--trajectories', file);
    expect(err).toMatch(/--from base has no SFT to use --trajectories/);
  });
});
