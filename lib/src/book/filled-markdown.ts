/** A chapter as Markdown for those who read it raw: with its numbers, its code, its questions in place. */
import { joined, sourcePieces } from './draw-code.js';
import type { Chapter } from './chapter.js';
import type { Library } from './drawing.js';
import { readFence } from './fence.js';
import { linkTarget } from './links.js';
import { filled } from './workshop.js';

export function filledMarkdown(chapter: Chapter, library: Library): string {
  const lines = chapter.text.split('\n');
  const fences = chapter.tokens.filter(({ type, map }) => type === 'fence' && map !== null);
  for (const { map, content, info } of fences.toReversed()) {
    const body = content.trim() === '' ? bodyOf(info, chapter, library) : undefined;
    const [start, end] = map!;
    if (body !== undefined) lines.splice(start + 1, end - start - 2, ...body.trimEnd().split('\n'));
  }
  return withLabels(lines.join('\n').trimStart(), chapter, library);
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

/** `[](#eq-clip)` → `[equation 6.2](#eq-clip)`. */
function withLabels(markdown: string, own: Chapter, { chapters, repository }: Library): string {
  return markdown.replace(/(?<!!)\[\]\(([^)\s]+)\)/g, (link, href: string) => {
    try {
      const target = linkTarget(href, own, chapters, repository);
      const label = target.kind === 'chapter' ? target.chapter.labels.get(target.anchor ?? '') : undefined;
      return label === undefined ? link : `[${label.kind} ${label.number}](${href})`;
    } catch {
      // told where the link is drawn
      return link;
    }
  });
}
