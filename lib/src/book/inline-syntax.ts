/** Citations `[@key; @key]` and terms `[[term|text]]` in running text. */
import type { MarkdownIt, StateInline } from 'markdown-it';

const CITATION = /\[@[\w:-]+(?:;\s*@[\w:-]+)*\]/y;
const TERM = /\[\[([^[\]|\n]+)(?:\|([^[\]|\n]+))?\]\]/y;

/** Tokens `citation` (meta `keys`) and `term` (content: the text; meta `term`). */
export function inlineRules(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'citation', citation);
  md.inline.ruler.before('link', 'term', term);
}

function citation(state: StateInline, silent: boolean): boolean {
  const [written] = matchHere(CITATION, state) ?? [];
  if (written === undefined) return false;
  if (!silent) {
    const keys = written
      .slice(1, -1)
      .split(';')
      .map((key) => key.trim().slice(1));
    state.push('citation', '', 0).meta = { keys, written };
  }
  state.pos += written.length;
  return true;
}

function term(state: StateInline, silent: boolean): boolean {
  const [written, name, text = name] = matchHere(TERM, state) ?? [];
  if (written === undefined || name === undefined) return false;
  if (!silent) {
    const token = state.push('term', '', 0);
    token.content = text!;
    token.meta = { term: name, written };
  }
  state.pos += written.length;
  return true;
}

function matchHere(pattern: RegExp, { src, pos }: StateInline): RegExpExecArray | null {
  pattern.lastIndex = pos;
  return src[pos] === '[' ? pattern.exec(src) : null;
}
