import ts from '@tslab/typescript-for-tslab';
import type { CompiledCell } from './compiler.node.js';
import { alignTokens, offsetAt, positionAt, type Position, type Token } from './positions.js';

/** Where a place in the JavaScript of a cell comes from in its TypeScript; `undefined` for code that only the compiler wrote. */
export function sourcePosition(cell: CompiledCell, place: Position): Position | undefined {
  const { source, javascript } = cell;
  const offset = offsetAt(javascript, place);
  if (offset >= javascript.length) return undefined;
  const written = tokensOf(source);
  const made = tokensOf(javascript);
  const origin = alignTokens(written, made);
  let index = made.findLastIndex(({ start }) => start <= offset);
  while (index >= 0 && origin[index] === -1) index--;
  return index < 0 ? undefined : positionAt(source, written[origin[index]!]!.start);
}

function tokensOf(code: string): Token[] {
  const file = ts.createSourceFile('cell.ts', code, ts.ScriptTarget.ES2022, true);
  const tokens: Token[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length > 0) return children.forEach(visit);
    // quotes may change on the way
    const text = ts.isStringLiteral(node) ? JSON.stringify(node.text) : node.getText(file);
    if (text !== '') tokens.push({ text, start: node.getStart(file) });
  };
  visit(file);
  return tokens;
}
