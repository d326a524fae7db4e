import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Program } from 'posttrain/book/programs';
import { createRunPrograms } from 'posttrain/book/run-programs.node';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'posttrain-programs-'));
  mkdirSync(join(root, 'lib/dist'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const program = (...codes: readonly string[]): Program => ({
  pieces: codes.map((code, index) => ({ code, place: { file: 'a.md', line: index }, output: '' })),
});
const COUNTS = `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync('runs.txt', 'x');
const many: number = readFileSync('runs.txt', 'utf8').length;
console.log('run', many);`;

describe('programs of chapters', () => {
  it('are TypeScript, see the repository, wait at the top, and say what each piece prints', async () => {
    writeFileSync(join(root, 'hello.txt'), 'hello');
    const pieces = program(
      "import { readFile } from 'node:fs/promises';\nconst text: string = await readFile('hello.txt', 'utf8');\nconsole.log(text);\nconsole.log('again  ');",
      'const quiet = 1;',
      'process.stdout.write(text.toUpperCase());',
    );
    expect(await createRunPrograms({ root })([pieces])).toEqual([{ outputs: ['hello\nagain', '', 'HELLO'] }]);
  });

  it('are told why they fail', async () => {
    const run = createRunPrograms({ root, limitSeconds: 5 });
    const [thrown, wrong, endless, left] = await run([
      program('console.log(1);', "throw new RangeError('too far');"),
      program('const = 1;'),
      program('for (;;);'),
      program('await new Promise(() => {});'),
    ]);
    expect(thrown).toEqual({ failure: expect.stringMatching(/^RangeError: too far/) as string });
    expect(wrong).toEqual({ failure: expect.stringContaining('Expected identifier') as string });
    expect(endless).toEqual({ failure: 'it was stopped after 5 s' });
    expect(left).toHaveProperty('failure');
    expect(readdirSync(join(root, 'node_modules/.cache/posttrain-book'))).toEqual([]);
  });

  it('run once, and again when they or what they see have changed', async () => {
    const run = createRunPrograms({ root });
    const counted = async (code: string): Promise<unknown> => (await run([program(code)]))[0];
    expect(await counted(COUNTS)).toEqual({ outputs: ['run 1'] });
    expect(await counted(COUNTS)).toEqual({ outputs: ['run 1'] });
    expect(await counted(`${COUNTS}\n`)).toEqual({ outputs: ['run 2'] });
    writeFileSync(join(root, 'lib/dist/index.js'), 'export {};');
    expect(await counted(COUNTS)).toEqual({ outputs: ['run 3'] });
    expect(readFileSync(join(root, 'runs.txt'), 'utf8')).toBe('xxx');
  });

  it('run two at once', async () => {
    const meet = (own: string, other: string): Program =>
      program(`import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('${own}', '');
while (!existsSync('${other}')) await new Promise((resolve) => setTimeout(resolve, 10));`);
    const results = await createRunPrograms({ root, limitSeconds: 30 })([meet('a', 'b'), meet('b', 'a')]);
    expect(results).toEqual([{ outputs: [''] }, { outputs: [''] }]);
  });
});
