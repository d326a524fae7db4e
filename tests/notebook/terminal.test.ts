/** The verbs of cells in a plain program: they print. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

// here, where a program finds the package `posttrain`
const folder = mkdtempSync(join(import.meta.dirname, '.terminal-'));
mkdirSync(join(folder, 'data/results'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

function run(code: string): { readonly said: string; readonly status: number | null } {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `import * as cell from 'posttrain/notebook';\n${code}`);
  const env = { ...process.env, POSTTRAIN_FAST: '1' };
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    env,
  });
  return { said: stdout + stderr, status };
}

it('prints what a cell would show, and a live plot when the program ends', () => {
  const { said, status } = run(`
const { fast } = await cell.setup({ seed: 1 });
const plot = cell.livePlot({ title: 'Live', description: 'D', xLabel: 'x', yLabel: 'y', series: ['a'] });
for await (const n of cell.progress([1, 2, 3], { total: 3, label: 'Steps' })) plot.add(n, { a: n });
cell.show({ type: 'dots', title: 'Dots', description: 'D', xLabel: 'x', dots: [{ name: 'a', value: 1 }] });
cell.table([{ a: 1 }]);
cell.check('fast', fast);
await cell.exercise({ id: 'one', hint: 'no hint', cases: () => {} });
await cell.saveResults('01', { a: 1 });
console.log('last');
`);
  expect(status).toBe(0);
  expect(said).toMatch(/^posttrain .*, seed 1, fast: everything in little/);
  const order = [
    'Steps  3 of 3',
    'Dots\n',
    '✓ fast',
    '✓ Exercise one: solved',
    'Written to runs',
    'last\n',
    'Live (y',
  ];
  const places = order.map((text) => said.indexOf(text));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(said).toMatch(/Live \(y over x\)\n {2}a {2}▁▅█ {2}1 → 3, between 1 and 3\n$/);
  expect(JSON.parse(readFileSync(join(folder, 'runs/notebooks/01-fast.json'), 'utf8'))).toEqual({ a: 1 });
});

it('ends with an error where a check fails', () => {
  const { said, status } = run("cell.check('one is two', 1 === 2);");
  expect(status).toBe(1);
  expect(said).toContain('CheckFailed: does not hold: one is two');
});
