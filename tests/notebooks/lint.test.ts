import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { pairedFiles } from 'posttrain/notebook/notebook-files.node';
import { type CourseNotebook, courseNotebooks, readCourseNotebook } from './course-notebook.js';
import { problemsOf, typeProblems } from './lint.js';

const root = resolve(import.meta.dirname, '../..');
// here, where a notebook finds the package `posttrain`
const folder = mkdtempSync(join(tmpdir(), 'posttrain-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
/** A notebook with these cells after its imports, and an exercise; formatted, and solved. */
function notebook(
  cells: readonly string[],
  { exercise = '// %% tags=["exercise"]\nawait 1;', solution = 'await 1;' } = {},
): CourseNotebook {
  const [name, file] = [
    `${String(++made).padStart(2, '0')}-a`,
    join(folder, `${String(made).padStart(2, '0')}-a.ts`),
  ];
  const code = ["import { check } from 'posttrain/notebook';", ...cells].map((cell) => `// %%\n${cell}\n\n`);
  writeFileSync(file, `// %% [markdown]\n// # A\n\n${code.join('')}${exercise}\n`);
  if (solution !== '') {
    mkdirSync(join(folder, 'solutions'), { recursive: true });
    writeFileSync(join(folder, 'solutions', `${name}.ts`), solution);
  }
  for (const { path, content } of pairedFiles(file)) writeFileSync(path, content);
  return readCourseNotebook(file);
}

describe('a notebook of the course', () => {
  it('may be as it should be', () => {
    expect(problemsOf(notebook(['check("a", true);', 'const parts = { fetch: 1 };\nparts.fetch;']))).toEqual(
      [],
    );
  });

  it.each([
    ['Math.random();', 's0-03: Math.random is not for cells: use randomStream, which has a seed'],
    ['process.exit(1);', 's0-03: process.exit is not for cells: it would end the kernel'],
    ["await fetch('https://example.org');", 's0-03: fetch is not for cells: notebooks need no network'],
    ["import * as pt from 'posttrain';", 's0-03: the first cell imports, and no other one'],
    [`${'check("a", true);\n'.repeat(41)}`, 's0-03: 41 lines of code, at most 40 are ever good'],
  ])('may not say %s', (cell, problem) => {
    expect(problemsOf(notebook([cell]))).toEqual([problem]);
  });

  it('may have few long cells, where comments do not count', () => {
    const long = `${'// why\n\n'.repeat(20)}${'check("a", true);\n'.repeat(26)}`;
    expect(problemsOf(notebook([long, long]))).toEqual([]);
    expect(problemsOf(notebook([long, long, long]))).toEqual([
      's0-03, s0-04, s0-05: more than 25 lines of code; at most 2 cells may',
    ]);
  });

  it('shares no variable between cells that one of them may change', () => {
    expect(problemsOf(notebook(['let rate = 1;\nrate += 1;', 'check("a", rate > 1);']))).toEqual([
      's0-03: "rate" is shared with a later cell; make it a const',
    ]);
    expect(problemsOf(notebook(['for (let i = 0; i < 2; i++) {}', 'const i = 2;']))).toEqual([]);
  });

  it('has one exercise and its solution', () => {
    expect(problemsOf(notebook([], { exercise: '// %%\nawait 1;' }))).toEqual([
      '0 cells have the tag "exercise"; expected one',
    ]);
    const course = notebook([], { solution: '' });
    expect(problemsOf(course)).toEqual([`solutions/${course.name}.ts is missing`]);
  });

  it('is what is made from its source', () => {
    const course = notebook([]);
    const notebookFile = course.file.replace('.ts', '.ipynb');
    writeFileSync(course.file, course.text.replace('# A', '# B'));
    expect(problemsOf(readCourseNotebook(course.file))).toEqual([
      `${notebookFile} is not what posttrain notebook format makes`,
    ]);
    writeFileSync(course.file, course.text.replace('# A', '# {{99:a}}'));
    expect(problemsOf(course)).toEqual([expect.stringContaining('cell s0-01: {{99:a}}: there are no such')]);
    writeFileSync(course.file, course.text);
    rmSync(notebookFile);
    expect(problemsOf(course)).toEqual([`${notebookFile} is missing; posttrain notebook format makes it`]);
  });
});

it('where there is none yet, nothing is wrong', () => {
  expect(courseNotebooks(join(folder, 'nowhere'))).toEqual([]);
});

it('types are strict, of the solution too', async () => {
  const [course] = courseNotebooks(join(import.meta.dirname, 'fixture/notebooks'));
  const wrong = { ...course!, name: 'wrong', solution: 'const sixth: string = null;' };
  expect(await typeProblems([course!, wrong], root)).toEqual([
    expect.stringMatching(/^wrong\.solved\.ts\(\d+,7\): error TS2322: Type 'null'/),
  ]);
}, 300_000);
