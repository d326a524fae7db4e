/** TeX between dollar signs, in Markdown and as HTML. */
import katex from 'katex';
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

export type Macros = Readonly<Record<string, string>>;

/** HTML for eyes and MathML for everybody else. @throws Error that says what KaTeX does not understand. */
export function mathHtml(tex: string, displayMode: boolean, macros: Macros): string {
  return katex.renderToString(tex, {
    displayMode,
    output: 'htmlAndMathml',
    throwOnError: true,
    strict: 'error',
    // KaTeX writes the macros that a formula defines into what it is given
    macros: { ...macros },
  });
}

/** What stands behind the `$$` that closes a display: `{#eq-NAME code=PATH#NAME}`. */
export interface EquationLabel {
  readonly id: string;
  readonly code: string | undefined;
}

const LABEL = /^\{#(eq-[\w-]+)(?:\s+code=(\S+?))?\s*\}$/;

/** Tokens `math_inline`, `math_block` (meta `label`) and, for what is neither, `syntax_problem`. */
export function mathRules(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math_inline', inlineMath);
  md.block.ruler.before('fence', 'math_block', displayedMath, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src[pos] !== '$') return false;
  const end = closingDollar(src, pos + 1, posMax);
  if (!silent) {
    const token = state.push(end === undefined ? 'syntax_problem' : 'math_inline', '', 0);
    token.markup = '$';
    token.content =
      end === undefined
        ? 'a $ that opens no formula and closes none; the sign itself is \\$'
        : src.slice(pos + 1, end);
    token.meta = { written: src.slice(pos, end === undefined ? pos + 12 : end + 1) };
  }
  state.pos = end === undefined ? pos + 1 : end + 1;
  return true;
}

/** `$x$`, but not `$ x $`, and not the second sign of `$5 and $10`. */
function closingDollar(text: string, start: number, max: number): number | undefined {
  for (let at = start; at < max; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '$') {
      const within = text.slice(start, at);
      return within !== '' && within.trim() === within && !/\d/.test(text[at + 1] ?? '') ? at : undefined;
    }
  }
  return undefined;
}

function displayedMath(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (lineAt(state, start) !== '$$') return false;
  if (silent) return true;
  let last = start + 1;
  while (last < end && !lineAt(state, last).startsWith('$$')) last += 1;
  const token = state.push('math_block', '', 0);
  token.block = true;
  token.map = [start, last + 1];
  token.markup = '$$';
  try {
    token.meta = { label: labelBehind(last < end ? lineAt(state, last).slice(2).trim() : undefined) };
    token.content = state.getLines(start + 1, last, state.blkIndent, false);
  } catch (error) {
    token.type = 'syntax_problem';
    token.content = (error as Error).message;
  }
  state.line = last + 1;
  return true;
}

/** @throws Error for what is no label. */
function labelBehind(text: string | undefined): EquationLabel | undefined {
  if (text === undefined) throw new Error('$$ without a $$ that closes it');
  if (text === '') return undefined;
  const [, id, code] = LABEL.exec(text) ?? [];
  if (id === undefined)
    throw new Error(`expected {#eq-NAME} or {#eq-NAME code=PATH#NAME} behind $$, not "${text}"`);
  return { id, code };
}

function lineAt(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]).trim();
}
