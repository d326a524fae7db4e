/** What the pipeline notes on markdown-it's tokens. */
import type { Token } from 'markdown-it';
import type { EquationLabel } from './math.js';
import type { Place } from './problems.js';

/** Text that stands in the page as it is, or tokens to render. */
export type Piece = string | readonly Token[];

/** Notes of the pipeline's own rules, each on the tokens that its rule makes. */
interface Notes {
  /** On every token. */
  readonly place: Place;
  /** `math_block` */
  readonly label: EquationLabel | undefined;
  /** `citation` */
  readonly keys: readonly string[];
  /** `term` */
  readonly term: string;
  /** `part`: a fence of data, spelt out */
  readonly pieces: readonly Piece[];
  /** `container_*` */
  readonly title: string;
  /** How it stands in the Markdown: where to look for its line. */
  readonly written: string;
}

export function note<K extends keyof Notes>(token: Token, name: K): Notes[K] {
  return (token.meta ?? {})[name] as Notes[K];
}

export function setNote<K extends keyof Notes>(token: Token, name: K, value: Notes[K]): void {
  token.meta = { ...token.meta, [name]: value };
}

/** All tokens in reading order: those of blocks, of running text, and of parts that were made from data. */
export function* everyToken(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token;
    if (token.children !== null) yield* everyToken(token.children);
    for (const piece of note(token, 'pieces') ?? []) if (typeof piece !== 'string') yield* everyToken(piece);
  }
}

/** What a reader would read aloud: without formulas. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'inline' || token.type === 'figure') return `${plainText(token.children ?? [])}\n`;
      if (token.type === 'softbreak' || token.type === 'hardbreak') return ' ';
      const pieces = note(token, 'pieces') ?? [];
      if (pieces.length > 0)
        return pieces.map((piece) => (typeof piece === 'string' ? ' ' : plainText(piece))).join('');
      return ['text', 'code_inline', 'term'].includes(token.type) ? token.content : '';
    })
    .join('');
}
