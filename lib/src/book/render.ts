/** How tokens look in the page. */
import type { MarkdownIt, RendererRule, Token } from 'markdown-it';
import { escapeMarkup } from '../markup.js';
import { boxEnd, boxNames, boxStart } from './boxes.js';
import { drawFence } from './draw-code.js';
import { drawEquation, drawMath } from './draw-equation.js';
import { drawFigure } from './draw-figure.js';
import { drawCitation, drawLinkStart, drawReference, drawTerm } from './draw-references.js';
import { draw, type Drawing } from './drawing.js';
import { note, plainText } from './tokens.js';

/** Makes `md` draw chapters. */
export function addRenderRules(md: MarkdownIt): void {
  Object.assign(md.renderer.rules, rules);
  for (const name of boxNames) {
    md.renderer.rules[`container_${name}_open`] = (tokens, index) =>
      boxStart(name, note(tokens[index]!, 'title'));
    md.renderer.rules[`container_${name}_close`] = () => boxEnd(name);
  }
}

const problem =
  (message: (token: Token) => string): RendererRule =>
  (tokens, index, _options, env) => {
    const token = tokens[index]!;
    (env as Drawing).library.problems.add(note(token, 'place'), message(token));
    return '';
  };

/** Text that was meant to be something else. */
const MISSPELT = /\[@|\[\[|\]\]|\{\{[\w-]+:|\[\^/;

const drawText: RendererRule = (tokens, index, _options, env) => {
  const { content } = tokens[index]!;
  const [odd] = MISSPELT.exec(content) ?? [];
  if (odd !== undefined)
    (env as Drawing).library.problems.add(
      note(tokens[index]!, 'place'),
      `"${content.slice(content.indexOf(odd), content.indexOf(odd) + 30)}" is no citation, term, number or footnote`,
    );
  return escapeMarkup(content);
};

const drawTableStart: RendererRule = (tokens, index) => {
  const caption =
    tokens[index + 1]?.type === 'caption_open' ? plainText([tokens[index + 2]!]).trim() : 'Table';
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeMarkup(caption)}"><table>\n`;
};

/** A corner of a table that is empty is no heading. */
const headingCell =
  (open: boolean): RendererRule =>
  (tokens, index, options, _env, renderer) => {
    const token = tokens[index]!;
    const isEmpty = tokens[open ? index + 1 : index - 1]!.content === '';
    if (isEmpty) return open ? '<td>' : '</td>\n';
    if (open) token.attrSet('scope', 'col');
    return renderer.renderToken(tokens, index, options);
  };

const footnoteId = (token: Token): string => `fn${Number(token.meta?.['id']) + 1}`;

const drawFootnoteMark: RendererRule = (tokens, index) => {
  const token = tokens[index]!;
  const id = footnoteId(token);
  const again = Number(token.meta?.['subId']) > 0 ? `-${Number(token.meta?.['subId'])}` : '';
  return `<sup class="footnote-mark"><a href="#${id}" id="${id}-mark${again}" data-preview="${id}" aria-label="Footnote ${id.slice(2)}">${id.slice(2)}</a></sup>`;
};

const drawFootnoteStart: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const id = footnoteId(tokens[index]!);
  const end = tokens.findIndex(({ type }, at) => at > index && type === 'footnote_close');
  const content = tokens.slice(index + 1, end).filter(({ type }) => type !== 'footnote_anchor');
  drawing.previews?.set(id, draw(content, drawing));
  return `<li id="${id}">`;
};

const drawFootnoteBack: RendererRule = (tokens, index) => {
  const token = tokens[index]!;
  const again = Number(token.meta?.['subId']) > 0 ? `-${Number(token.meta?.['subId'])}` : '';
  return ` <a class="footnote-back" href="#${footnoteId(token)}-mark${again}" aria-label="Back to the text">↩</a>`;
};

const rules: Readonly<Record<string, RendererRule>> = {
  text: drawText,
  syntax_problem: problem(({ content }) => content),
  image: problem(() => 'a figure stands alone in its paragraph'),
  html_block: problem(() => 'HTML is not possible'),
  fence: drawFence,
  code_block: problem(() => 'code stands between two lines of ```; these lines have four blanks before them'),
  math_inline: drawMath,
  math_block: drawEquation,
  figure: drawFigure,
  citation: drawCitation,
  reference: drawReference,
  term: drawTerm,
  link_open: drawLinkStart,
  table_open: drawTableStart,
  table_close: () => '</table></div>\n',
  th_open: headingCell(true),
  th_close: headingCell(false),
  footnote_ref: drawFootnoteMark,
  footnote_block_open: () => '<section class="footnotes" aria-label="Footnotes"><ol>\n',
  footnote_block_close: () => '</ol></section>\n',
  footnote_open: drawFootnoteStart,
  footnote_close: () => '</li>\n',
  footnote_anchor: drawFootnoteBack,
};
