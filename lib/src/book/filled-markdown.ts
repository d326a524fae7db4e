/** A chapter as Markdown for those who read it raw: with its numbers, its code, its questions in place. */
import { joined, sourcePieces } from './draw-code.js';
import type { Chapter } from './chapter.js';
import type { Library } from './drawing.js';
import { readFence } from './fence.js';
import { linkTarget } from './links.js';
import { filled } from './workshop.js';

export function filledMarkdown(chapter: Chapter, library: Library): string {
  const fences = chapter.tokens.filter(({ type, map }) => type === 'fence' && map !== null);
  const isCode = new Set(fences.flatMap(({ map }) => range(...map!)));
  const lines = chapter.text
    .split('\n')
    .map((line, index) => (isCode.has(index) ? line : plainLine(line, chapter, library)));
  for (const { map, content, info } of fences.toReversed()) {
    const body = content.trim() === '' ? bodyOf(info, chapter, library) : undefined;
    const [start, end] = map!;
    if (body !== undefined) lines.splice(start + 1, end - start - 2, ...body.trimEnd().split('\n'));
  }
  return lines.join('\n').trimStart();
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

const TERM = /\[\[(?:[^[\]|]+\|)?([^[\]|]+)\]\]/g;
const EMPTY_LINK = /(?<!!)\[\]\(([^)\s]+)\)/g;

/** Terms as their text, `[](#eq-clip)` as `[equation 6.2](#eq-clip)`; what stands in backticks as it is. */
function plainLine(line: string, chapter: Chapter, library: Library): string {
  return line
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`')
        ? part
        : part
            .replace(TERM, '$1')
            .replace(EMPTY_LINK, (link, href: string) => labelled(href, chapter, library) ?? link),
    )
    .join('');
}

function labelled(href: string, own: Chapter, { chapters, repository }: Library): string | undefined {
  try {
    const target = linkTarget(href, own, chapters, repository);
    const label = target.kind === 'chapter' ? target.chapter.labels.get(target.anchor ?? '') : undefined;
    return label && `[${label.kind} ${label.number}](${href})`;
  } catch {
    // told where the link is drawn
    return undefined;
  }
}

/** What belongs into an empty fence. */
function bodyOf(info: string, { prefix }: Chapter, library: Library): string | undefined {
  const { repository } = library;
  try {
    const fence = readFence(info);
    if (fence.kind === 'source') return joined(sourcePieces(fence, repository));
    if (fence.kind !== 'part') return undefined;
    const folder = { quiz: 'quizzes', exercises: 'exercises' }[fence.part as 'quiz' | 'exercises'];
    const file = `chapters/${folder}/${prefix}.yaml`;
    const text = repository.read(file);
    return text === undefined ? undefined : filled(text, { file, line: 1 }, library);
  } catch {
    // told where the fence is drawn
    return undefined;
  }
}
