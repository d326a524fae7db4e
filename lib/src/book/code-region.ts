/** Pieces of source files by their names, so that a chapter shows what the repository has today. */
import ts from 'typescript';

export interface CodePiece {
  readonly text: string;
  /** Its first line in the file, from 1. */
  readonly line: number;
}

const REGION = /^\s*\/\/ #(region|endregion)\b\s*(\S*)/;

/**
 * What `selector` names: a declaration of a TypeScript file, `region:NAME`, or the whole file where it is empty.
 * @param docs whether its doc comments are shown
 * @throws Error that says what there is instead.
 */
export function codePiece(text: string, path: string, selector: string, docs: boolean): CodePiece {
  const { line, text: found } = selector.startsWith('region:')
    ? region(text, path, selector.slice('region:'.length))
    : selector === ''
      ? { line: 1, text }
      : declaration(text, path, selector);
  const shown = withoutMarks(docs ? found : withoutDocs(found));
  return { line, text: dedented(shown).replace(/^\n+|\s+$/g, '') };
}

function region(text: string, path: string, name: string): CodePiece {
  const lines = text.split('\n');
  const marks = lines.map((line) => REGION.exec(line));
  const start = marks.findIndex((mark) => mark?.[1] === 'region' && mark[2] === name);
  const end =
    start +
    1 +
    marks.slice(start + 1).findIndex((mark) => mark?.[1] === 'endregion' && ['', name].includes(mark[2]!));
  if (start !== -1 && end > start) return { line: start + 2, text: lines.slice(start + 1, end).join('\n') };
  const there = marks.flatMap((mark) => (mark?.[1] === 'region' ? [mark[2]!] : []));
  throw new Error(
    `${path} has no region "${name}"; ${there.length === 0 ? 'it has none' : `it has ${there.join(', ')}`}`,
  );
}

function declaration(text: string, path: string, name: string): CodePiece {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const statements = file.statements.filter((statement) => namesOf(statement).includes(name));
  const first = statements[0];
  if (first === undefined) {
    const there = [...new Set(file.statements.flatMap(namesOf))];
    throw new Error(`${path} has no declaration "${name}"; it has ${there.join(', ') || 'none'}`);
  }
  // of the declaration itself, where a link should lead, rather than of its comment
  const line = file.getLineAndCharacterOfPosition(first.getStart(file)).line + 1;
  // overloads are several statements
  const texts = statements.map((statement) => {
    const lineStart = text.lastIndexOf('\n', statement.getStart(file, true)) + 1;
    return text.slice(lineStart, statement.end);
  });
  return { line, text: texts.join('\n') };
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

/** Doc comments that have lines of their own. */
function withoutDocs(code: string): string {
  return code.replace(/^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/[ \t]*\n/gm, '');
}

function withoutMarks(code: string): string {
  return code
    .split('\n')
    .filter((line) => !REGION.test(line))
    .join('\n');
}

function dedented(code: string): string {
  const lines = code.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents, Infinity);
  return Number.isFinite(indent) ? lines.map((line) => line.slice(indent)).join('\n') : code;
}
