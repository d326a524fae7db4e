/** Shows where in a text something was found. */

/** A piece of text, and whether it is what was looked for. */
export interface Piece {
  readonly text: string;
  readonly found: boolean;
}

/** Letters that a result shows, about. */
const LENGTH = 150;
/** Of them before the first hit. */
const BEFORE = 40;

/** The text in pieces: the found terms apart. */
export function marked(text: string, terms: readonly string[]): readonly Piece[] {
  const pattern = anyOf(terms);
  if (pattern === undefined) return [{ text, found: false }];
  return text
    .split(pattern)
    .map((piece, i) => ({ text: piece, found: i % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

/** A part of the text around the first found term. */
export function excerpt(text: string, terms: readonly string[]): string {
  const at = text.search(anyOf(terms) ?? /^/);
  const wanted = Math.max(0, at - BEFORE);
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1;
  const cut = text.slice(start, start + LENGTH);
  const end = start + LENGTH < text.length ? `${cut.replace(/\s+\S*$/, '')} …` : cut;
  return start === 0 ? end : `… ${end}`;
}

function anyOf(terms: readonly string[]): RegExp | undefined {
  if (terms.length === 0) return undefined;
  const longestFirst = terms.toSorted((a, b) => b.length - a.length);
  const written = longestFirst.map((term) => {
    const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return /\p{Script=Han}/u.test(term) ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  });
  return new RegExp(`(${written.join('|')})`, 'giu');
}
