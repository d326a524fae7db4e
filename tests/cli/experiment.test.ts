import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trainerExperiments } from 'posttrain/recipes/trainers/experiments';
import { posttrain } from './command-line.js';

describe('posttrain experiment', () => {
  it('runs a small experiment and shows its table, its claims and its files', async () => {
    const results = mkdtempSync(join(tmpdir(), 'posttrain-'));
    const { status, out } = await posttrain(
      ...['experiment', 'trainers', 'divergences', '--quick', '--seeds', '1', '--results', results],
    );
    expect(status).toBe(0);
    expect(out).toContain('· forward KL keeps 30 % or more on each side');
    expect(out).toContain('Quick: too short to judge every claim');
    expect(out).not.toMatch(/[✓✗] /);
    expect(out).toContain(join(results, 'divergences.json'));
    expect(readdirSync(results).toSorted()).toEqual(['divergences.json', 'divergences.svg']);
  });

  it('knows the small experiments by name, and says which there are', async () => {
    const { status, err } = await posttrain('experiment', 'trainers', 'everything');
    expect(status).not.toBe(0);
    for (const { name } of trainerExperiments) expect(err).toContain(name);
  });
});
