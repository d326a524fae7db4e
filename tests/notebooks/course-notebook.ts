/** A notebook of the course: its source, what is made from it, and the solution of its exercise. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CodeCell, Notebook } from 'posttrain/notebook/format';
import { readPairedSource } from 'posttrain/notebook/paired-source';

export interface CourseNotebook {
  /** `01-q-learning`. */
  readonly name: string;
  /** Where it lies and runs. */
  readonly folder: string;
  /** Its source, `01-q-learning.ts`. */
  readonly file: string;
  readonly text: string;
  readonly notebook: Notebook;
  /** What the exercise's cell becomes; `undefined` where there is no such file. */
  readonly solution: string | undefined;
}

/** Those of a folder, `NN-name.ts`, in order. */
export function courseNotebooks(folder: string): CourseNotebook[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => /^\d\d-[\w-]+\.ts$/.test(file));
  return files.sort().map((file) => readCourseNotebook(join(folder, file)));
}

export function readCourseNotebook(file: string): CourseNotebook {
  const [name, folder] = [basename(file, '.ts'), join(file, '..')];
  const text = readFileSync(file, 'utf8');
  const solution = join(folder, 'solutions', `${name}.ts`);
  return {
    name,
    folder,
    file,
    text,
    notebook: readPairedSource(text, file),
    solution: existsSync(solution) ? readFileSync(solution, 'utf8') : undefined,
  };
}

export const codeCells = ({ cells }: Notebook): CodeCell[] =>
  cells.filter((cell) => cell.cell_type === 'code');

export const isExercise = ({ metadata }: CodeCell): boolean => metadata.tags?.includes('exercise') === true;

/** The notebook with its exercise's cell solved. */
export function solved({ notebook, solution = '' }: CourseNotebook): Notebook {
  const cells = notebook.cells.map((cell) =>
    cell.cell_type === 'code' && isExercise(cell) ? { ...cell, source: solution.trimEnd() } : cell,
  );
  return { ...notebook, cells };
}

/** All code as one module. */
export function moduleOf(notebook: Notebook): string {
  return codeCells(notebook)
    .map(({ id, source }) => `// ${id}\n${source}\n`)
    .join('\n');
}
