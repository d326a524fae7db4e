/** The Markdown of chapters: what it may hold, as tokens that know their place. How they look is the business of `render.ts`. */
import MarkdownItConstructor, { type Env, type MarkdownIt, type StateCore, type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import container from 'markdown-it-container';
import footnote from 'markdown-it-footnote';
import { slug } from './anchors.js';
import { boxNames } from './boxes.js';
import { inlineRules } from './inline-syntax.js';
import { mathRules } from './math.js';
import type { Place } from './problems.js';
import { setNote } from './tokens.js';

/** Where the text that is being parsed begins. */
export interface ParsedText extends Env {
  readonly start: Place;
}

type Plugin = (md: MarkdownIt, ...options: readonly never[]) => void;

export function createMarkdown(): MarkdownIt {
  const md = new MarkdownItConstructor();
  // their types are those of an older markdown-it
  md.use(footnote as unknown as Plugin);
  for (const name of boxNames) md.use(container as unknown as Plugin, ...([name] as never[]));
  mathRules(md);
  inlineRules(md);
  md.core.ruler.push('places', notePlaces);
  md.core.ruler.push('boxes', checkBoxes);
  md.core.ruler.push('table_captions', captionTables);
  md.core.ruler.push('figures', liftFigures);
  md.use(anchor as unknown as Plugin, ...([headings] as never[]));
  return md;
}

const headings: anchor.AnchorOptions = {
  level: [2, 3, 4],
  slugify: slug,
  tabIndex: false,
  permalink: anchor.permalink.headerLink(),
};

/** The tokens of a text that is no chapter: an answer, a caption, a definition. */
export function parseFragment(md: MarkdownIt, text: string, start: Place, inline = false): readonly Token[] {
  const env: ParsedText = { start };
  return inline ? md.parseInline(text, env) : md.parse(text, env);
}

function notePlaces({ src, tokens, env }: StateCore): void {
  const { start } = env as ParsedText;
  const lines = src.split('\n');
  let block: readonly [number, number] = [0, 1];
  const at = (index: number): Place => ({ file: start.file, line: start.line + index });
  for (const token of tokens) {
    block = token.map ?? block;
    setNote(token, 'place', at(block[0]));
    for (const child of token.children ?? []) setNote(child, 'place', at(lineOf(child, lines, block)));
  }
}

/** Of a piece of running text: the line of its block in which it is written. */
function lineOf(token: Token, lines: readonly string[], [from, to]: readonly [number, number]): number {
  const written = token.meta?.['written'] ?? token.attrGet('href') ?? token.attrGet('src');
  if (typeof written !== 'string') return from;
  const firstLine = written.split('\n')[0]!;
  const found = lines.slice(from, to).findIndex((line) => line.includes(firstLine));
  return from + Math.max(0, found);
}

/** A box that nothing closes, or whose name nobody knows, would pass as text. */
function checkBoxes(state: StateCore): void {
  const lines = state.src.split('\n');
  const wrong = (token: Token, problem: string): void => {
    token.type = 'syntax_problem';
    token.content = problem;
    token.children = null;
  };
  for (const token of state.tokens) {
    if (token.type === 'inline' && /^:{3,}/.test(token.content))
      wrong(
        token,
        `"${token.content.split('\n')[0]!}" is no box; the boxes are ${boxNames.join(', ')}, and an outer box has more colons`,
      );
    if (!/^container_.*_open$/.test(token.type)) continue;
    setNote(token, 'title', token.info.trim().split(/\s+/).slice(1).join(' '));
    if (!/^\s*:{3,}\s*$/.test(lines[token.map![1]] ?? '')) {
      const problem = new state.Token('syntax_problem', '', 0);
      wrong(problem, `nothing closes "${token.markup}${token.info}"`);
      problem.meta = { ...token.meta };
      state.tokens.splice(state.tokens.indexOf(token) + 1, 0, problem);
    }
  }
}

const CAPTION = /^Table:\s+/;

/** `Table: caption` right before a table goes into it. */
function captionTables(state: StateCore): void {
  const { tokens } = state;
  for (let at = tokens.length - 1; at >= 3; at -= 1) {
    const [inline, table] = [tokens[at - 2]!, tokens[at]!];
    if (table.type !== 'table_open' || inline.type !== 'inline' || !CAPTION.test(inline.content)) continue;
    const first = inline.children![0]!;
    first.content = first.content.replace(CAPTION, '');
    const [open, close] = [
      new state.Token('caption_open', 'caption', 1),
      new state.Token('caption_close', 'caption', -1),
    ];
    tokens.splice(at - 3, 4, table, open, inline, close);
  }
}

/** A picture alone in a paragraph is a figure: one token with the picture as its child. */
function liftFigures({ tokens }: StateCore): void {
  for (let at = 0; at < tokens.length - 2; at += 1) {
    const [open, inline] = [tokens[at]!, tokens[at + 1]!];
    const [picture, ...others] = inline.children ?? [];
    if (open.type !== 'paragraph_open' || picture?.type !== 'image' || others.length > 0) continue;
    picture.block = true;
    picture.type = 'figure';
    tokens.splice(at, 3, picture);
  }
}

/** A token of our own, to stand among those of a text. */
export function newToken(md: MarkdownIt, type: string): Token {
  const { Token } = new md.core.State('', md, {});
  return new Token(type, '', 0);
}
