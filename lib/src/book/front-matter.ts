import { z } from 'zod';
import type { FrontMatter } from './page.js';
import type { Problems } from './problems.js';
import { readYaml, type YamlData } from './yaml-file.js';

const names = z.array(z.string()).default([]);

const schema: z.ZodType<FrontMatter> = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/, 'expected small letters, digits and -'),
  title: z.string().min(1),
  summary: z.string().min(1),
  lang: z.string().regex(/^[a-z]{2}(-[A-Za-z]+)?$/, 'expected a language as in BCP 47, e.g. en'),
  level: z.int().min(1).max(3),
  minutes: z.int().positive(),
  needs: names,
  notebooks: names,
  lib: names,
  updated: z.string().regex(/^\d{4}-\d\d-\d\d$/, 'expected a day, e.g. 2026-11-30'),
});

export interface Opened {
  readonly front: YamlData<FrontMatter>;
  /** Of the chapter, with empty lines for those of the front matter: lines count as in the file. */
  readonly body: string;
}

const FRONT = /^---\n([\s\S]*?\n)---\n/;

/** A chapter's front matter and its text; `undefined` after problems were told. */
export function openChapter(text: string, file: string, problems: Problems): Opened | undefined {
  const [whole, yaml] = FRONT.exec(text) ?? [];
  if (whole === undefined || yaml === undefined) {
    problems.add({ file, line: 1 }, 'a chapter begins with front matter: YAML between two lines of ---');
    return undefined;
  }
  const front = readYaml(yaml, { file, line: 2 }, schema, problems);
  if (front === undefined) return undefined;
  return { front, body: '\n'.repeat(whole.split('\n').length - 1) + text.slice(whole.length) };
}
