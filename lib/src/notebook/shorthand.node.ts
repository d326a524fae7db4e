import ts from '@tslab/typescript-for-tslab';

export interface Expanded {
  readonly code: string;
  /** The place in the original of a place in `code`. */
  readonly original: (offset: number) => number;
}

interface Insertion {
  /** In the original. */
  readonly offset: number;
  readonly text: string;
}

/**
 * The same code with `{ rows }` written as `{ rows: rows }`, and the pattern `{ rows: r }` as `{ "rows": r }`: tslab finds a variable of an
 * earlier cell only where it is a name of its own, and takes the name of a property in a pattern for one. Lines stay the same.
 */
export function expandShorthand(source: string): Expanded {
  const file = ts.createSourceFile('cell.ts', source, ts.ScriptTarget.ES2022);
  const insertions: Insertion[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isShorthandPropertyAssignment(node))
      insertions.push({ offset: node.name.end, text: `: ${node.name.text}` });
    if (ts.isBindingElement(node) && node.propertyName !== undefined && ts.isIdentifier(node.propertyName))
      insertions.push(
        { offset: node.propertyName.getStart(file), text: '"' },
        { offset: node.propertyName.end, text: '"' },
      );
    ts.forEachChild(node, visit);
  };
  visit(file);
  let code = '';
  let end = 0;
  for (const { offset, text } of insertions) {
    code += source.slice(end, offset) + text;
    end = offset;
  }
  const original = (place: number): number => {
    let shift = 0;
    for (const { offset, text } of insertions) {
      if (place - shift <= offset) break;
      shift += Math.min(text.length, place - shift - offset);
    }
    return place - shift;
  };
  return { code: code + source.slice(end), original };
}
