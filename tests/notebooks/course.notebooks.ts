/** npm run test:notebooks: every notebook of the course, as it is and with its exercise solved. `NOTEBOOKS=full`: with all its steps, too. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXERCISE_TYPE } from 'posttrain/notebook/check';
import type { Notebook } from 'posttrain/notebook/format';
import type { MimeData } from 'posttrain/notebook/messages';
import { flattened, type Results, RESULTS_TYPE } from 'posttrain/notebook/results';
import { recordedFile, runFile } from 'posttrain/notebook/results-files.node';
// built: its cells run in a process of their own
import { executeNotebook } from '../../lib/dist/notebook/run.node.js';
import { codeCells, courseNotebooks, type CourseNotebook, solved } from './course-notebook.js';
import { problemsOf, typeProblems } from './lint.js';

const root = resolve(import.meta.dirname, '../..');
const courses = [join(import.meta.dirname, 'fixture/notebooks'), join(root, 'notebooks')].flatMap(
  courseNotebooks,
);

/** Runs it to its end. Rejects, with the cell's error, when one fails. */
async function run(notebook: Notebook, { folder }: CourseNotebook, fast = true): Promise<Notebook> {
  const { notebook: executed, failure } = await executeNotebook(notebook, folder, { fast });
  if (failure !== undefined)
    throw new Error(
      `${failure.cell.id} failed:\n${failure.cell.source}\n\n${failure.error.traceback.join('\n')}`,
    );
  return executed;
}

/** What the cells said to programs, by its MIME type. */
function reports(notebook: Notebook, type: string): MimeData[] {
  const outputs = codeCells(notebook).flatMap((cell) => cell.outputs);
  return outputs.flatMap((output) => ('data' in output && type in output.data ? [output.data[type]!] : []));
}

const keysOf = (file: string): string[] =>
  [...flattened(JSON.parse(readFileSync(file, 'utf8')) as Results).keys()].sort();

it('is typed, strictly', async () => {
  expect(await typeProblems(courses, root)).toEqual([]);
});

describe.concurrent.each(courses)('$name', (course) => {
  it('reads as a notebook of the course does', ({ expect }) => {
    expect(problemsOf(course)).toEqual([]);
  });

  it('runs, writes its results, and its exercise is not solved', async ({ expect }) => {
    const executed = await run(course.notebook, course);
    expect(reports(executed, EXERCISE_TYPE)).toEqual([{ id: expect.any(String), solved: false }]);
    const saved = reports(executed, RESULTS_TYPE) as { readonly name: string }[];
    expect(saved).toEqual([expect.objectContaining({ name: course.name.slice(0, 2) })]);
    const [{ name }] = saved as [{ readonly name: string }];
    const recorded = recordedFile(course.folder, name);
    expect(existsSync(recorded)).toBe(true);
    expect(keysOf(runFile(course.folder, name, true))).toEqual(keysOf(recorded));
  });

  it('runs with the solution, which solves it', async ({ expect }) => {
    const executed = await run(solved(course), course);
    expect(reports(executed, EXERCISE_TYPE)).toEqual([{ id: expect.any(String), solved: true }]);
  });

  it.runIf(process.env['NOTEBOOKS'] === 'full')(
    'finds, with all its steps, what was recorded',
    async ({ expect }) => {
      const [saved] = reports(await run(course.notebook, course, false), RESULTS_TYPE);
      expect(saved).toMatchObject({ outside: [] });
    },
  );
});
