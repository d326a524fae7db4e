/** What reading a chapter needs, and text with its numbers filled in. */
import type { MarkdownIt, Token } from 'markdown-it';
import type { z } from 'zod';
import { fillCitations, type FindResults } from '../notebook/cited-numbers.js';
import type { Place, Problems } from './problems.js';
import type { Repository } from './repository.js';
import { note } from './tokens.js';
import { readYaml, type YamlData } from './yaml-file.js';

export interface Workshop {
  readonly repository: Repository;
  readonly problems: Problems;
  readonly md: MarkdownIt;
  readonly findResults: FindResults;
}

const FENCE = /^\s*(`{3,}|~{3,})/;
/** Fences whose body is not code but data with text in it. */
const DATA = /^\s*(?:`{3,}|~{3,})(?:facts|symbols|references)\s*$/;

/** The text with its citations of numbers replaced, except in code. */
export function filled(text: string, start: Place, { findResults, problems }: Workshop): string {
  let fence: { readonly marks: string; readonly data: boolean } | undefined;
  const lines = text.split('\n').map((line, index) => {
    const marks = FENCE.exec(line)?.[1];
    if (fence === undefined && marks !== undefined) fence = { marks, data: DATA.test(line) };
    else if (fence !== undefined && line.trim() === fence.marks) fence = undefined;
    if (fence?.data === false) return line;
    return fillCitations(line, findResults, (citation, problem) => {
      problems.add({ file: start.file, line: start.line + index }, `${citation}: ${problem}`);
      return '?';
    });
  });
  return lines.join('\n');
}

/** A chapter's data in a file of its own, numbers filled in; `undefined` where there is none, and after problems were told. */
export function partFile<T>(file: string, schema: z.ZodType<T>, workshop: Workshop): YamlData<T> | undefined {
  const text = workshop.repository.read(file);
  if (text === undefined) return undefined;
  const start = { file, line: 1 };
  return readYaml(filled(text, start, workshop), start, schema, workshop.problems);
}

/** The data in a fence's body; `undefined` after problems were told. */
export function fenceData<T>(
  token: Token,
  schema: z.ZodType<T>,
  problems: Problems,
): YamlData<T> | undefined {
  const { file, line } = note(token, 'place');
  return readYaml(token.content, { file, line: line + 1 }, schema, problems);
}
