import ts from '@tslab/typescript-for-tslab';
import { createConverter, type Converter, type Diagnostic } from 'tslab/dist/converter.js';
import { guardLoops } from './loop-guard.node.js';
import { positionAt } from './positions.js';
import { expandShorthand } from './shorthand.node.js';

/** A cell in the reader's TypeScript and in the JavaScript that runs. */
export interface CompiledCell {
  readonly source: string;
  readonly javascript: string;
}

/** tslab's converter, with what it misses. */
export interface Compiler extends Converter {
  /** What is converted from now on belongs to the cell of this name, which its stack frames bear. */
  begin(cell: string): void;
  /** What is wrong with the code converted since. */
  problems(): readonly Diagnostic[];
  /** The cell that a stack frame names. */
  compiled(cell: string): CompiledCell | undefined;
}

export function createCompiler(): Compiler {
  const converter = createConverter();
  const cells = new Map<string, CompiledCell>();
  let name = '';
  let problems: Diagnostic[] = [];
  return {
    ...converter,
    begin: (cell) => {
      name = cell;
      problems = [];
    },
    problems: () => problems,
    compiled: (cell) => cells.get(cell),
    addModule: (module, content, meta) => {
      problems = converter.addModule(module, content, meta);
      return problems;
    },
    convert: (declarations, source) => {
      const { code, original } = expandShorthand(source);
      const result = converter.convert(declarations, code);
      problems = result.diagnostics.map((problem) => ({
        ...problem,
        ...(problem.fileName === undefined && { start: placeOf(source, original(problem.start.offset)) }),
      }));
      if (result.output === undefined) return result;
      const javascript = guardLoops(result.output);
      cells.set(name, { source, javascript });
      return {
        ...result,
        output: `${javascript}\n//# sourceURL=${name}`,
        hasToplevelAwait: awaitsAtTop(source),
      };
    },
  };
}

function placeOf(source: string, offset: number): Diagnostic['start'] {
  const { line, column } = positionAt(source, offset);
  return { offset, line: line - 1, character: column - 1 };
}

/** tslab knows an `await` by TypeScript's complaint about it, and there is none about `await (…)` and `for await`. */
function awaitsAtTop(source: string): boolean {
  // as a module, where `await (x)` is no call of a function `await`
  return awaits(ts.createSourceFile('cell.ts', `${source}\nexport {};`, ts.ScriptTarget.ES2022));
}

function awaits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) return true;
  if (ts.isFunctionLike(node) || ts.isPropertyDeclaration(node) || ts.isClassStaticBlockDeclaration(node)) {
    return false;
  }
  return ts.forEachChild(node, awaits) ?? false;
}

/** Where a reader stands while typing. */
export type Completeness =
  { readonly status: 'complete' | 'invalid' } | { readonly status: 'incomplete'; readonly indent: string };

/** Whether the code can run, or waits for more lines (a console asks that at each Enter). */
export function completeness(code: string): Completeness {
  const file = ts.createSourceFile(
    'cell.ts',
    `export {};${code}`,
    ts.ScriptTarget.ES2022,
  ) as ts.SourceFile & {
    readonly parseDiagnostics: readonly ts.DiagnosticWithLocation[];
  };
  if (file.parseDiagnostics.length === 0) return { status: 'complete' };
  const atEnd = ({ start, length }: ts.DiagnosticWithLocation): boolean => start + length >= file.text.length;
  if (!file.parseDiagnostics.every(atEnd)) return { status: 'invalid' };
  const lastLine = code.slice(code.lastIndexOf('\n') + 1);
  const opens = /[{([]\s*$/.test(lastLine) ? '  ' : '';
  return { status: 'incomplete', indent: /^\s*/.exec(lastLine)![0] + opens };
}
