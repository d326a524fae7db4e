/** A chapter as it was written: opened, its numbers filled in, parsed. */
import type { Token } from 'markdown-it';
import { expandParts } from './parts.js';
import { openChapter } from './front-matter.js';
import { numberLabels, type Labels } from './labels.js';
import type { ParsedText } from './markdown.js';
import type { FrontMatter } from './page.js';
import type { Problems } from './problems.js';
import { filled, type Workshop } from './workshop.js';
import type { YamlData } from './yaml-file.js';

export interface Chapter {
  /** `chapters/03-rewards.md` */
  readonly file: string;
  /** `03`; `undefined` for an appendix. */
  readonly prefix: string | undefined;
  /** `3`, or `A` for the first appendix. */
  readonly ordinal: string;
  readonly front: YamlData<FrontMatter>;
  /** Below the front matter, whose lines are empty, with numbers filled in. */
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly labels: Labels;
}

const NUMBERED = /^(\d\d)-(.+)\.md$/;

/** In reading order: by number, then the appendices. */
export function readChapters(workshop: Workshop): readonly Chapter[] {
  const files = workshop.repository.list('chapters').filter((name) => name.endsWith('.md'));
  const numbered = files.filter((name) => NUMBERED.test(name));
  const appendices = files.filter((name) => !NUMBERED.test(name));
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return [
    ...numbered.map((name) => readChapter(name, String(Number(name.slice(0, 2))), workshop)),
    ...appendices.map((name, index) => readChapter(name, letters[index]!, workshop)),
  ].filter((chapter) => chapter !== undefined);
}

function readChapter(name: string, ordinal: string, workshop: Workshop): Chapter | undefined {
  const { repository, problems, md } = workshop;
  const file = `chapters/${name}`;
  const opened = openChapter(repository.read(file)!, file, problems);
  if (opened === undefined) return undefined;
  const { front, body } = opened;
  const [, prefix, id = name.replace(/\.md$/, '')] = NUMBERED.exec(name) ?? [];
  if (front.data.id !== id)
    problems.add(front.placeOf('id'), `the id of ${name} is "${id}", not "${front.data.id}"`);
  const text = filled(body, { file, line: 1 }, workshop);
  const env: ParsedText = { start: { file, line: 1 } };
  const tokens = md.parse(text, env);
  checkFootnotes(env, text, problems);
  expandParts(tokens, prefix, workshop);
  return { file, prefix, ordinal, front, text, tokens, labels: numberLabels(tokens, ordinal, problems) };
}

interface FootnoteEnv {
  readonly footnotes?: { readonly refs?: Readonly<Record<string, number>> };
}

/** Footnotes that nothing refers to would vanish. */
function checkFootnotes(env: ParsedText, text: string, problems: Problems): void {
  const { refs = {} } = (env as FootnoteEnv).footnotes ?? {};
  for (const [label, used] of Object.entries(refs)) {
    if (used !== -1) continue;
    const mark = `[^${label.slice(1)}]`;
    const line = 1 + text.split('\n').findIndex((each) => each.startsWith(mark));
    problems.add({ file: env.start.file, line }, `nothing refers to the footnote ${mark}`);
  }
}
