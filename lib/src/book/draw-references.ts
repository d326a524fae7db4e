/** Links, citations, terms: everything that leads somewhere and shows where. */
import type { RendererRule, Token } from 'markdown-it';
import { escapeMarkup } from '../markup.js';
import { termAnchor } from './anchors.js';
import { citedAs, referenceHtml } from './bibliography.js';
import type { Chapter } from './chapter.js';
import { draw, newDrawing, type Drawing } from './drawing.js';
import { linkTarget } from './links.js';
import { equationHtml } from './draw-equation.js';
import { parseFragment } from './markdown.js';
import type { PlacedReference } from './shared-data.js';
import { note } from './tokens.js';

export const drawCitation: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const links = note(tokens[index]!, 'keys').flatMap((key) => {
    const reference = referenceOf(key, tokens[index]!, drawing);
    if (reference === undefined) return [];
    drawing.previews?.set(`ref-${key}`, referenceHtml(reference));
    const text = escapeMarkup(citedAs(reference));
    return [`<a class="citation" href="references.html#${key}" data-preview="ref-${key}">${text}</a>`];
  });
  return `(${links.join('; ')})`;
};

export const drawReference: RendererRule = (tokens, index, _options, env) => {
  const reference = referenceOf(note(tokens[index]!, 'keys')[0]!, tokens[index]!, env as Drawing);
  return reference === undefined ? '' : referenceHtml(reference);
};

function referenceOf(key: string, token: Token, { library }: Drawing): PlacedReference | undefined {
  const reference = library.references.get(key);
  if (reference === undefined)
    library.problems.add(note(token, 'place'), `there is no reference "${key}" in chapters/references`);
  library.cited.add(key);
  return reference;
}

export const drawTerm: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const { library, previews } = drawing;
  const token = tokens[index]!;
  const found = library.terms.get(note(token, 'term').toLowerCase());
  if (found === undefined) {
    library.problems.add(
      note(token, 'place'),
      `there is no term "${note(token, 'term')}" in chapters/glossary`,
    );
    return escapeMarkup(token.content);
  }
  const anchor = termAnchor(found.term);
  if (previews?.has(`term-${anchor}`) === false) {
    const definition = parseFragment(library.md, found.definition, found.place);
    // what a preview shows has no previews of its own
    const html = draw(definition, newDrawing(library, undefined));
    previews?.set(`term-${anchor}`, `<p class="term-name">${escapeMarkup(found.term)}</p>${html}`);
  }
  return `<a class="term" href="glossary.html#${anchor}" data-preview="term-${anchor}">${escapeMarkup(token.content)}</a>`;
};

export const drawLinkStart: RendererRule = (tokens, index, options, env, renderer) => {
  const drawing = env as Drawing;
  const token = tokens[index]!;
  const place = note(token, 'place');
  const { library, chapter } = drawing;
  const isEmpty = tokens[index + 1]?.type === 'link_close';
  // a heading's link to itself
  if (token.attrGet('class') === 'header-anchor') return renderer.renderToken(tokens, index, options);
  try {
    const target = linkTarget(String(token.attrGet('href')), chapter, library.chapters, library.repository);
    const attributes: [string, string][] = [['href', target.href]];
    let text = '';
    if (target.kind === 'source') library.sources.add(target.file);
    if (target.kind === 'notebook') library.notebooks.add(target.name);
    if (target.kind === 'chapter' && target.anchor !== undefined) {
      const label = target.chapter.labels.get(target.anchor);
      if (label !== undefined && isEmpty) text = referredTo(target.chapter, target.anchor, tokens[index - 1]);
      if (label?.kind === 'equation') {
        drawing.previews?.set(target.anchor, equationHtml(label.token, drawing));
        attributes.push(['data-preview', target.anchor]);
      }
    }
    if (isEmpty && text === '')
      throw new Error(`a link needs a text: no equation or figure that has one is at ${target.href}`);
    if (target.kind === 'chapter' && target.anchor !== undefined)
      drawing.anchorLinks.push({ place, chapter: target.chapter, anchor: target.anchor });
    return `<a ${attributes.map(([name, value]) => `${name}="${escapeMarkup(value)}"`).join(' ')}>${text}`;
  } catch (error) {
    library.problems.add(place, (error as Error).message);
    return '<a>';
  }
};

/** `equation 6.2`, with a capital where a sentence begins. */
function referredTo(chapter: Chapter, anchor: string, before: Token | undefined): string {
  const { kind, number } = chapter.labels.get(anchor)!;
  const begins = before === undefined || (before.type === 'text' && /[.!?:]\s+$/.test(before.content));
  return `${begins ? kind[0]!.toUpperCase() : kind[0]!}${kind.slice(1)} ${number}`;
}
