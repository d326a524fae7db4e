/** What holds for the text of every notebook of the course, whether or not it runs. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import type { CodeCell } from 'posttrain/notebook/format';
import { pairedFiles, type WrittenFile } from 'posttrain/notebook/notebook-files.node';
import { codeCells, type CourseNotebook, isExercise, moduleOf, solved } from './course-notebook.js';

/** Lines of code, without comments and blank ones: what fits on a screen. A few cells of a notebook may be longer, up to a limit. */
const CELL_LINES = 25;
const LONG_CELLS = 2;
const LONG_CELL_LINES = 40;
const FILE_BYTES = 300_000;

/** What no cell may call, and why. */
const BANNED: Readonly<Record<string, string>> = {
  'Math.random': 'use randomStream, which has a seed',
  'process.exit': 'it would end the kernel',
  fetch: 'notebooks need no network',
};

/** Everything that is wrong with it, each in a sentence that names the cell. */
export function problemsOf(course: CourseNotebook): string[] {
  const cells = codeCells(course.notebook);
  return [
    ...fileProblems(course),
    ...importProblems(cells),
    ...lengthProblems(cells),
    ...cells.flatMap(bannedCalls),
    ...sharedVariables(cells),
    ...exerciseProblems(course, cells),
  ];
}

function fileProblems({ file }: CourseNotebook): string[] {
  try {
    return notebookProblems(pairedFiles(file).find(({ path }) => path.endsWith('.ipynb'))!);
  } catch (error) {
    // its text cites a number that is not there
    return [(error as Error).message];
  }
}

function notebookProblems(made: WrittenFile): string[] {
  if (!existsSync(made.path)) return [`${made.path} is missing; posttrain notebook format makes it`];
  const is = readFileSync(made.path, 'utf8');
  return [
    ...(is === made.content ? [] : [`${made.path} is not what posttrain notebook format makes`]),
    ...(Buffer.byteLength(is) <= FILE_BYTES
      ? []
      : [`${made.path} has ${Buffer.byteLength(is)} bytes, at most ${FILE_BYTES} are good`]),
  ];
}

/** Completion in editors loses the names of a cell that imports. */
function importProblems(cells: readonly CodeCell[]): string[] {
  return cells.flatMap(({ id, source }, index) => {
    const { statements } = parsed(source);
    const imports = statements.filter(ts.isImportDeclaration).length;
    if (index === 0)
      return imports === statements.length && imports > 0
        ? []
        : [`${id}: the first cell imports, and does nothing else`];
    return imports === 0 ? [] : [`${id}: the first cell imports, and no other one`];
  });
}

function lengthProblems(cells: readonly CodeCell[]): string[] {
  const long = cells
    .map(({ id, source }) => ({ id, lines: codeLines(source) }))
    .filter(({ lines }) => lines > CELL_LINES);
  const tooLong = long.filter(({ lines }) => lines > LONG_CELL_LINES);
  return [
    ...tooLong.map(
      ({ id, lines }) => `${id}: ${lines} lines of code, at most ${LONG_CELL_LINES} are ever good`,
    ),
    ...(long.length > LONG_CELLS
      ? [
          `${long.map(({ id }) => id).join(', ')}: more than ${CELL_LINES} lines of code; at most ${LONG_CELLS} cells may`,
        ]
      : []),
  ];
}

function codeLines(source: string): number {
  return source.split('\n').filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}

function bannedCalls({ id, source }: CodeCell): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isPropertyAccessExpression(node) || isUse(node) ? node.getText() : '';
    if (Object.hasOwn(BANNED, name)) found.push(`${id}: ${name} is not for cells: ${BANNED[name]}`);
    ts.forEachChild(node, visit);
  };
  visit(parsed(source));
  return found;
}

/** A name that stands for a variable, and not for a property. */
function isUse(node: ts.Node): boolean {
  return (
    ts.isIdentifier(node) &&
    !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) &&
    !(ts.isPropertyAssignment(node.parent) && node.parent.name === node)
  );
}

/** A function keeps the value that a `let` of its own cell had; other cells change another one. */
function sharedVariables(cells: readonly CodeCell[]): string[] {
  return cells.flatMap(({ id, source }, index) => {
    const names = parsed(source)
      .statements.filter(ts.isVariableStatement)
      .filter(({ declarationList: { flags } }) => (flags & ts.NodeFlags.Const) === 0)
      .flatMap(({ declarationList }) => declarationList.declarations.map(({ name }) => name.getText()));
    const later = cells.slice(index + 1).map((cell) => cell.source);
    return names
      .filter((name) => later.some((code) => new RegExp(`\\b${name}\\b`).test(code)))
      .map((name) => `${id}: "${name}" is shared with a later cell; make it a const`);
  });
}

function exerciseProblems({ name, solution }: CourseNotebook, cells: readonly CodeCell[]): string[] {
  const count = cells.filter(isExercise).length;
  return [
    ...(count === 1 ? [] : [`${count} cells have the tag "exercise"; expected one`]),
    ...(solution === undefined ? [`solutions/${name}.ts is missing`] : []),
  ];
}

function parsed(source: string): ts.SourceFile {
  return ts.createSourceFile('cell.ts', source, ts.ScriptTarget.ESNext, true);
}

/**
 * What TypeScript, strict, says of the notebooks, as they are and solved: it is stricter than the compiler of the kernel. It runs in a
 * process of its own.
 * @param root of a checkout, where the package `posttrain` is found.
 */
export async function typeProblems(courses: readonly CourseNotebook[], root: string): Promise<string[]> {
  const folder = mkdtempSync(join(root, 'tests/notebooks/.types-'));
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions: { noEmit: true, ...unused } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const course of courses) {
    writeFileSync(join(folder, `${course.name}.ts`), course.text);
    writeFileSync(join(folder, `${course.name}.solved.ts`), moduleOf(solved(course)));
  }
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  rmSync(folder, { recursive: true });
  return stdout.split('\n').filter((line) => line !== '');
}
