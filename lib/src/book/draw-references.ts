/** Links, citations, terms: everything that leads somewhere and shows where. */
import type { RendererRule, Token } from 'markdown-it';
import { escapeMarkup } from '../markup.js';
import { termAnchor } from './anchors.js';
import { citedAs, referenceHtml } from './bibliography.js';
import { attemptDrawing, draw, newDrawing, type Drawing } from './drawing.js';
import type { Label } from './labels.js';
import { linkTarget, type LinkTarget } from './links.js';
import { equationHtml } from './draw-equation.js';
import { parseFragment } from './markdown.js';
import type { Place } from './problems.js';
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
  // a heading's link to itself
  if (token.attrGet('class') === 'header-anchor') return renderer.renderToken(tokens, index, options);
  const isEmpty = tokens[index + 1]?.type === 'link_close';
  return attemptDrawing(note(token, 'place'), drawing, () => {
    const { chapter, library } = drawing;
    const target = linkTarget(String(token.attrGet('href')), chapter, library.chapters, library.repository);
    const label = labelOf(target);
    if (isEmpty && label === undefined)
      throw new Error(`a link needs a text: no equation or figure that has one is at ${target.href}`);
    noteTarget(target, note(token, 'place'), drawing);
    const preview = label?.kind === 'equation' ? previewOfEquation(label, drawing) : '';
    const text = isEmpty ? referredTo(label!, tokens[index - 1]) : '';
    return `<a href="${escapeMarkup(target.href)}"${preview}>${text}`;
  });
};

function labelOf(target: LinkTarget): Label | undefined {
  return target.kind === 'chapter' ? target.chapter.labels.get(target.anchor ?? '') : undefined;
}

function noteTarget(target: LinkTarget, place: Place, { library, anchorLinks }: Drawing): void {
  if (target.kind === 'source') library.sources.add(target.file);
  if (target.kind === 'notebook') library.notebooks.add(target.name);
  if (target.kind === 'chapter' && target.anchor !== undefined)
    anchorLinks.push({ place, chapter: target.chapter, anchor: target.anchor });
}

function previewOfEquation({ token }: Label, drawing: Drawing): string {
  const { id } = note(token, 'label')!;
  drawing.previews?.set(id, equationHtml(token, drawing));
  return ` data-preview="${id}"`;
}

/** `equation 6.2`, with a capital where a sentence begins. */
function referredTo({ kind, number }: Label, before: Token | undefined): string {
  const begins = before === undefined || (before.type === 'text' && /[.!?]\s+$/.test(before.content));
  return `${begins ? kind[0]!.toUpperCase() : kind[0]!}${kind.slice(1)} ${number}`;
}
