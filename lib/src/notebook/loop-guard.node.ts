import ts from '@tslab/typescript-for-tslab';

/** What each round of a loop asks first. */
const GUARD = 'if(__posttrain__.stop[0])__posttrain__.interrupt();';

interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/**
 * The same JavaScript, whose loops ask in each round whether they should stop: a loop that waits for nothing hears no message, and
 * after an `await` Node's own way to stop one (`breakOnSigint`) ends. Lines stay the same.
 */
export function guardLoops(javascript: string): string {
  const file = ts.createSourceFile('cell.js', javascript, ts.ScriptTarget.ES2022);
  const insertions: Insertion[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIterationStatement(node, false)) insertions.push(...guarded(node.statement, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return insertions
    .sort((a, b) => b.offset - a.offset)
    .reduce((code, { offset, text }) => code.slice(0, offset) + text + code.slice(offset), javascript);
}

function guarded(body: ts.Statement, file: ts.SourceFile): Insertion[] {
  const start = body.getStart(file);
  if (ts.isBlock(body)) return [{ offset: start + 1, text: GUARD }];
  return [
    { offset: start, text: `{${GUARD}` },
    { offset: body.end, text: '}' },
  ];
}

/** @param stop its first number is not 0 while loops should stop; another thread may set it. */
export function installLoopGuard(stop: Int32Array, interrupt: () => never): void {
  Object.defineProperty(globalThis, '__posttrain__', { value: Object.freeze({ stop, interrupt }) });
}
