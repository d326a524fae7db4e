import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { parseNotebook, type CodeCell, type Notebook } from 'posttrain/notebook/format';
import { COMMAND } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

const notebooks = join(import.meta.dirname, 'notebooks');
// here, where a notebook finds the package `posttrain`
const folder = mkdtempSync(join(import.meta.dirname, '.run-'));
afterAll(() => rmSync(folder, { recursive: true }));

function notebook(args: string[], env = process.env): Promise<{ status: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [COMMAND, 'notebook', ...args], { env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    child.once('close', (status) => done({ status, said }));
  });
}

const written = (name: string): Notebook => {
  const file = join(folder, name);
  return parseNotebook(readFileSync(file, 'utf8'), file);
};
const codeCells = ({ cells }: Notebook): CodeCell[] => cells.filter((cell) => cell.cell_type === 'code');

it('runs a notebook that trains, and keeps what it has shown', async () => {
  const { status, said } = await notebook([
    'run',
    join(notebooks, 'training.ipynb'),
    '--fast',
    '--out',
    folder,
  ]);
  expect(said).toMatch(/s1-02 +\d+\.\d\d s\n[\s\S]*4 cells passed in/);
  expect(status).toBe(0);
  const [imports, , training, result] = codeCells(written('training.ipynb'));
  expect(imports).toMatchObject({ execution_count: 1, outputs: [] });
  expect(training!.outputs).toEqual([
    {
      output_type: 'display_data',
      data: { 'text/plain': 'step 3', 'text/html': '<b>step 3</b>' },
      metadata: {},
    },
  ]);
  expect(result!.outputs).toEqual([
    { output_type: 'stream', name: 'stdout', text: '3 steps\n' },
    { output_type: 'execute_result', execution_count: 4, data: { 'text/plain': 'true' }, metadata: {} },
  ]);
});

it('stops at the first cell that fails and says which, and why', async () => {
  const { status, said } = await notebook(['run', join(notebooks, 'failing.ts'), '--out', folder]);
  expect(status).toBe(1);
  expect(said).toContain("s0-03 failed:\n\nconsole.log('before');\nfunction fails(): never {");
  expect(said).toContain("Error: ends the run\n  1 | console.log('before');");
  expect(said).toMatch(/at fails \(cell\[2\]:3:\d+\)/);
  const [expected, failing, never] = codeCells(written('failing.ipynb'));
  expect(expected!.outputs).toMatchObject([{ output_type: 'error', ename: 'RangeError' }]);
  expect(failing!.outputs).toMatchObject([
    { output_type: 'stream', text: 'before\n' },
    { output_type: 'error', evalue: 'ends the run' },
  ]);
  expect(never).toMatchObject({ execution_count: null, outputs: [] });
});

it('finds what goes wrong after its cell, and says so when its process is gone', async () => {
  const late = join(folder, 'late.ts');
  writeFileSync(
    late,
    `// %%
setTimeout(() => { throw new Error('late'); }, 50);

// %%
await new Promise((resume) => setTimeout(resume, 200));
`,
  );
  expect(await notebook(['run', late])).toMatchObject({
    status: 1,
    said: expect.stringContaining('s0-01 failed'),
  });
  const gone = join(folder, 'gone.ts');
  writeFileSync(gone, "// %%\nprocess.kill(process.pid, 'SIGKILL');\nawait new Promise(() => {});\n");
  expect(await notebook(['run', gone])).toMatchObject({
    status: 1,
    said: expect.stringContaining('the process that ran the cells ended with SIGKILL'),
  });
});

it('makes a notebook from its source, and the source from a notebook that was edited', async () => {
  const name = join(folder, 'made');
  expect(await notebook(['new', name])).toEqual({ status: 0, said: `${name}.ts\n${name}.ipynb\n` });
  expect((await notebook(['new', name])).said).toContain('exists already');
  expect(await notebook(['format', '--check', `${name}.ts`])).toEqual({ status: 0, said: '' });
  const edited = readFileSync(`${name}.ipynb`, 'utf8').replace('First experiment', 'Second experiment');
  writeFileSync(`${name}.ipynb`, edited);
  expect(await notebook(['format', '--check', `${name}.ts`])).toEqual({
    status: 1,
    said: `${name}.ipynb is not up to date\n`,
  });
  expect(await notebook(['format', `${name}.ipynb`])).toEqual({ status: 0, said: `${name}.ts\n` });
  expect(readFileSync(`${name}.ts`, 'utf8')).toContain('## Second experiment');
  expect((await notebook(['run', `${name}.ts`, '--fast', '--out', folder])).status).toBe(0);
  expect((await notebook(['clear', `${name}.ipynb`])).status).toBe(0);
  expect(readFileSync(`${name}.ipynb`, 'utf8')).toBe(edited);
});

it('says in two lines how to get JupyterLab where there is none', async () => {
  const { status, said } = await notebook([], { PATH: '' });
  expect(status).toBe(1);
  expect(said.trimEnd().split('\n')).toHaveLength(2);
  expect(said).toContain('pip install jupyterlab');
});
