import { isMap, isNode, isPair, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import type { Place, Problems } from './problems.js';

/** What YAML says, and where. */
export interface YamlData<T> {
  readonly data: T;
  /** Where the value at a path of keys and indices stands. */
  readonly placeOf: (...path: readonly (string | number)[]) => Place;
}

/**
 * YAML that is as `schema` wants it; `undefined` after problems were told.
 * @param start where its first line stands
 */
export function readYaml<T>(
  text: string,
  start: Place,
  schema: z.ZodType<T>,
  problems: Problems,
): YamlData<T> | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset: number): Place => ({
    file: start.file,
    line: start.line - 1 + lines.linePos(offset).line,
  });
  for (const error of document.errors)
    problems.add(lineOf(error.pos[0]), `YAML: ${error.message.split('\n')[0]!.replace(/ at line.*/, '')}`);
  if (document.errors.length > 0) return undefined;
  const placeOf = (...path: readonly (string | number)[]): Place => lineOf(offsetOf(document, path));
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) return { data: parsed.data, placeOf };
  for (const { path, message } of parsed.error.issues) {
    const at = path.filter((step) => typeof step !== 'symbol');
    problems.add(placeOf(...at), `${at.length === 0 ? '' : `${at.join('.')}: `}${message}`);
  }
  return undefined;
}

/** Of the key, where the path ends at one; of what comes nearest where there is nothing. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1]!;
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(last)) : undefined;
    const node: unknown = isPair(pair) ? pair.key : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
