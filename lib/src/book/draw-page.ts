/** A chapter as the page that the shell draws. */
import type { Token } from 'markdown-it';
import type { Chapter } from './chapter.js';
import { filledMarkdown } from './filled-markdown.js';
import { copied, draw, newDrawing, type Drawing, type Library } from './drawing.js';
import { pagePath } from './links.js';
import type { BookPage, Heading, SearchableSection } from './page.js';
import { note, plainText } from './tokens.js';

export interface DrawnPage {
  readonly page: BookPage;
  readonly drawing: Drawing;
}

export function drawPage(chapter: Chapter, library: Library): DrawnPage {
  const drawing = newDrawing(library, chapter);
  checkHeadings(chapter, library);
  const body = draw(chapter.tokens, drawing);
  const page: BookPage = {
    ...chapter.front.data,
    number: chapter.prefix === undefined ? undefined : Number(chapter.ordinal),
    path: pagePath(chapter),
    source: chapter.file,
    html: body + templates(drawing),
    outline: outlineOf(chapter.tokens, drawing),
    sections: sectionsOf(chapter.tokens),
    markdown: filledMarkdown(chapter, library),
    plots: drawing.plots,
    demos: drawing.demos,
  };
  return { page, drawing };
}

/** What links show while they are pointed at. */
function templates({ previews }: Drawing): string {
  return [...(previews ?? [])]
    .map(([id, html]) => `<template id="preview-${id}">${copied(html)}</template>\n`)
    .join('');
}

function checkHeadings({ tokens }: Chapter, { problems }: Library): void {
  let level = 1;
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const now = Number(token.tag.slice(1));
    const place = note(token, 'place');
    if (now === 1)
      problems.add(
        place,
        'the title, which is in the front matter, is the page’s one heading of level 1; begin at ##',
      );
    else if (now > level + 1)
      problems.add(place, `a heading of level ${now} does not follow one of level ${level}`);
    level = now;
    const inside = tokens[index + 1]!.children ?? [];
    const links = inside.filter(({ type }) => type === 'link_open').length;
    if (links > 1 || inside.some(({ type }) => ['citation', 'term', 'footnote_ref'].includes(type)))
      problems.add(place, 'a heading is a link to itself; it cannot have others in it');
  });
}

function outlineOf(tokens: readonly Token[], drawing: Drawing): readonly Heading[] {
  return tokens.flatMap((token, index): readonly Heading[] => {
    const level = token.type === 'heading_open' ? Number(token.tag.slice(1)) : 0;
    if (level !== 2 && level !== 3) return [];
    const inside = (tokens[index + 1]!.children ?? []).filter(({ type }) => !type.startsWith('link_'));
    const { md } = drawing.library;
    return [
      { level, id: String(token.attrGet('id')), html: md.renderer.renderInline(inside, md.options, drawing) },
    ];
  });
}

function sectionsOf(tokens: readonly Token[]): readonly SearchableSection[] {
  const starts = tokens.flatMap(({ type }, index) => (type === 'heading_open' ? [index] : []));
  const textOf = (from: number, to: number | undefined): string =>
    plainText(tokens.slice(from, to)).replace(/\s+/g, ' ').trim();
  return [
    { id: undefined, heading: '', text: textOf(0, starts[0]) },
    ...starts.map((start, index) => ({
      id: String(tokens[start]!.attrGet('id')),
      heading: plainText([tokens[start + 1]!]).trim(),
      text: textOf(start + 3, starts[index + 1]),
    })),
  ];
}
