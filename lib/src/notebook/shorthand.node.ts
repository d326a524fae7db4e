import ts from '@tslab/typescript-for-tslab';

export interface Expanded {
  readonly code: string;
  /** The place in the original of a place in `code`. */
  readonly original: (offset: number) => number;
}

/**
 * The same code with `{ rows }` written as `{ rows: rows }`: tslab finds a variable of an earlier cell only where it is a name of its own.
 * Lines stay the same.
 */
export function expandShorthand(source: string): Expanded {
  const file = ts.createSourceFile('cell.ts', source, ts.ScriptTarget.ES2022);
  const names: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isShorthandPropertyAssignment(node)) names.push(node.name);
    ts.forEachChild(node, visit);
  };
  visit(file);
  let code = '';
  let end = 0;
  for (const name of names) {
    code += `${source.slice(end, name.end)}: ${name.text}`;
    end = name.end;
  }
  const original = (offset: number): number => {
    let shift = 0;
    for (const name of names) {
      const added = name.text.length + 2;
      if (offset - shift <= name.end) break;
      shift += Math.min(added, offset - shift - name.end);
    }
    return offset - shift;
  };
  return { code: code + source.slice(end), original };
}
