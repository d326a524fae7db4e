/** Cutting text: first added tokens, as they stand; then words, inside which byte pairs are merged. */
import type { AddedToken } from './types.js';

const HAN = '[㐀-䶿一-鿿豈-﫿]';

/**
 * A Han character, a run of other letters with their marks, up to three digits, one whitespace character, or a
 * run of anything else. A space is never part of a word, so a word has the same tokens wherever it stands: a
 * small model copies a label from a request into JSON by repeating tokens. JavaScript and Oniguruma (the regular
 * expressions of the `tokenizers` library) read it alike.
 */
export const WORD_PATTERN: string = [
  HAN,
  `(?:(?!${HAN})[\\p{L}\\p{M}])+`,
  '\\p{N}{1,3}',
  '\\p{White_Space}',
  '[^\\p{L}\\p{M}\\p{N}\\p{White_Space}]+',
].join('|');

/** Words in order; joined they are the text. What the pattern does not match becomes a word too. */
export function splitWords(text: string, pattern: RegExp): string[] {
  const words: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) words.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    words.push(match[0]);
  }
  if (end < text.length) words.push(text.slice(end));
  return words;
}

/** A stretch of text without added tokens, or one added token. */
export type Section = { readonly text: string } | { readonly token: AddedToken };

/** Returns a function that finds added tokens: leftmost first, the longest where several begin. */
export function sectionSplitter(
  tokens: readonly AddedToken[],
): (text: string, allowSpecial: boolean) => Section[] {
  if (tokens.length === 0) return (text) => (text === '' ? [] : [{ text }]);
  const byContent = new Map(tokens.map((token) => [token.content, token]));
  const longestFirst = [...byContent.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'gu');
  return (text, allowSpecial) => {
    const sections: Section[] = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      const token = byContent.get(match[0])!;
      if (token.special && !allowSpecial) continue;
      if (match.index > end) sections.push({ text: text.slice(end, match.index) });
      sections.push({ token });
      end = match.index + match[0].length;
    }
    if (end < text.length) sections.push({ text: text.slice(end) });
    return sections;
  };
}

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
