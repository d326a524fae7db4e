/** `posttrain draw` before anything was trained. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { quickRecipe, stageNames } from 'posttrain/recipes/diagram/recipe';
import { posttrain } from './command-line.js';

const home = process.cwd();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'posttrain-draw-'));
  process.chdir(dir);
});
afterEach(() => {
  process.chdir(home);
  rmSync(dir, { recursive: true });
});

it('without a run it is the agent of the repository that draws, and says so where it disturbs no output', async () => {
  const { status, out, err } = await posttrain('draw', 'Three tiers: Browser, API, Database');
  expect(err).toBe('no finished run in runs: drawing with the agent that comes with posttrain\n');
  for (const line of ['Browser', 'API', 'Database', 'n1>n2', 'n2>n3', 'no problems of form or layout'])
    expect(out).toContain(line);
  expect(status).toBe(0);
});

it('a quick run has learned nothing, and is passed over', async () => {
  mkdirSync('runs/diagram-quick-1', { recursive: true });
  writeFileSync('runs/diagram-quick-1/config.json', JSON.stringify({ recipe: quickRecipe }));
  const stages = stageNames.map((name) => [name, { seconds: 1, peakMemory: 1 }]);
  writeFileSync('runs/diagram-quick-1/stages.json', JSON.stringify(Object.fromEntries(stages)));
  const { status, err } = await posttrain('draw', 'Three tiers: Browser, API, Database');
  expect(err).toBe('nothing but quick runs in runs: drawing with the agent that comes with posttrain\n');
  expect(status).toBe(0);
});

it('a folder of runs that was named has to have one', async () => {
  const { status, err } = await posttrain('draw', 'A -> B', '--runs', 'elsewhere');
  expect(err).toMatch(/there is no finished run in elsewhere yet/);
  expect(status).toBe(1);
});
