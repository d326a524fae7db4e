import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { parseNotebook, type CodeCell, type Notebook } from 'posttrain/notebook/format';
import { COMMAND } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

const notebooks = join(import.meta.dirname, 'notebooks');
// here, where a notebook finds the package `posttrain`
const folder = mkdtempSync(join(import.meta.dirname, '.run-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param presses how often SIGINT is sent, once a cell says `go`. */
function notebook(
  args: string[],
  env = process.env,
  presses = 0,
): Promise<{ status: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [COMMAND, 'notebook', ...args], { env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    let pressed = 0;
    const press = (): void => {
      pressed += 1;
      child.kill('SIGINT');
      // closer together they would be one
      if (pressed < presses) setTimeout(press, 700);
    };
    child.stdout.on('data', () => {
      if (pressed === 0 && presses > 0 && /^go$/m.test(said)) press();
    });
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
  expect(said).toMatch(/ s1-02\nstep 0\nstep 3\n +\d+\.\d\d s\n[\s\S]*4 cells passed in/);
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
  expect(said).toContain(
    "s0-03 failed:\n\nError: ends the run\n  1 | console.log('before');\n  2 | function",
  );
  expect(said.match(/function fails/g)).toHaveLength(1);
  expect(said).toMatch(/at fails \(s0-03:3:\d+\)/);
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

it('keeps what was shown when the process of the cells dies, and names the cell', async () => {
  const dies = join(folder, 'dies.ts');
  writeFileSync(
    dies,
    `// %%
console.log('kept');

// %% tags=["raises-exception"]
process.kill(process.pid, 'SIGKILL');
await new Promise(() => {});

// %%
console.log('never');
`,
  );
  const { status, said } = await notebook(['run', dies, '--out', folder]);
  expect(status).toBe(1);
  expect(said).toContain('s0-02 failed:');
  const [kept, died, never] = codeCells(written('dies.ipynb'));
  expect(kept!.outputs).toMatchObject([{ output_type: 'stream', text: 'kept\n' }]);
  expect(died!.outputs).toMatchObject([{ output_type: 'error', ename: 'ProcessDied' }]);
  expect(never).toMatchObject({ execution_count: null, outputs: [] });
});

it('shows what cells print below their ids, unless it is to be quiet', async () => {
  const prints = join(folder, 'prints.ts');
  writeFileSync(prints, "// %%\nconsole.log('out');\nconsole.error('err');\n6 * 7;\n");
  const { said } = await notebook(['run', prints]);
  expect(said).toMatch(/ s0-01 *\n[^]*out\n/);
  expect(said).toMatch(/^err$/m);
  expect(said).toMatch(/^42\n +\d+\.\d\d s$/m);
  const quiet = await notebook(['run', prints, '--quiet']);
  expect(quiet.said).toMatch(/ s0-01 +\d+\.\d\d s\n/);
  expect(quiet.said).not.toMatch(/out|err|42/);
});

describe.skipIf(process.platform === 'win32')('Ctrl-C', () => {
  const interrupted = async (
    name: string,
    code: string,
    presses: number,
  ): Promise<{ said: string; texts: string }> => {
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, `// %%\nconsole.log('before');\n\n// %%\n${code}\n\n// %%\nconsole.log('never');\n`);
    const { status, said } = await notebook(['run', file, '--out', folder], process.env, presses);
    expect(said).toContain('interrupted in s0-02');
    expect(status).toBe(130);
    const cells = codeCells(written(`${name}.ipynb`));
    expect(cells[0]!.outputs).toMatchObject([{ text: 'before\n' }]);
    expect(cells[2]).toMatchObject({ execution_count: null, outputs: [] });
    return { said, texts: JSON.stringify(cells[1]!.outputs) };
  };

  it('lets a cell that took its signal end its step', async () => {
    const code = `import { interruptSignal } from 'posttrain/notebook';
const signal = interruptSignal();
console.log('go');
while (!signal.aborted) await new Promise((resume) => setTimeout(resume, 20));
console.log('after its step');`;
    const { texts } = await interrupted('trusted', code, 1);
    expect(texts).toContain('after its step');
    expect(texts).not.toContain('Interrupted');
  });

  it('ends such a cell at once when it is pressed again', async () => {
    const code = `import { interruptSignal } from 'posttrain/notebook';
interruptSignal();
console.log('go');
await new Promise((resume) => setTimeout(resume, 600_000));`;
    expect((await interrupted('stubborn', code, 2)).texts).toContain('Interrupted');
  });

  it.each([
    ['waits', "console.log('go');\nawait new Promise((resume) => setTimeout(resume, 600_000));"],
    // what never looks up is ended from outside
    [
      'blocks',
      "console.log('go');\nawait new Promise((resume) => setTimeout(resume, 100));\nAtomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    ],
  ])('ends a cell that %s', async (name, code) => {
    expect((await interrupted(name, code, 1)).texts).toContain('Interrupted');
  });
});

it('says what to do where posttrain is not installed', async () => {
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'posttrain-elsewhere-')));
  const file = join(elsewhere, 'a.ts');
  writeFileSync(file, "// %%\nimport * as pt from 'posttrain';\nconsole.log(pt);\n");
  const { status, said } = await notebook(['run', file]);
  rmSync(elsewhere, { recursive: true });
  expect(status).toBe(1);
  expect(said).toContain(
    `CompileError: posttrain is not installed for ${elsewhere}; run \`npm i posttrain\` in that folder or one above it`,
  );
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

it('records results, in full only', async () => {
  const file = join(folder, 'course/01-a.ts');
  mkdirSync(join(folder, 'data/results'), { recursive: true });
  mkdirSync(join(folder, 'course'));
  const code = "import { isFast, saveResults } from 'posttrain/notebook';\n";
  writeFileSync(file, `// %%\n${code}\n// %%\nawait saveResults('01', { wins: isFast() ? 0 : 0.75 });\n`);
  const results = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const fast = await notebook(['run', file], { ...process.env, POSTTRAIN_FAST: '1' });
  expect(fast.said).toContain(
    'Written to runs/notebooks/01-fast.json; a fast run is too short to be compared with what was recorded',
  );
  expect(results('runs/notebooks/01-fast.json')).toEqual({ wins: 0 });
  expect((await notebook(['run', file, '--record'])).said).toContain('Recorded in data/results/01.json');
  expect(results('data/results/01.json')).toEqual({ wins: 0.75 });
  const both = await notebook(['run', file, '--record', '--fast']);
  expect(both).toMatchObject({
    status: 1,
    said: expect.stringContaining('those of a fast run mean nothing'),
  });
});

it('says in two lines how to get JupyterLab where there is none', async () => {
  const { status, said } = await notebook([], { PATH: '' });
  expect(status).toBe(1);
  expect(said.trimEnd().split('\n')).toHaveLength(2);
  expect(said).toContain('pip install jupyterlab');
});
