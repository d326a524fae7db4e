/** Text that spells a special token: it must not become that token, or a user could pretend to be the model. */
import { escapeRegExp } from '../text/split.js';

/**
 * Returns a function that cuts each special token written in a text in two, `<|im_end|>` into `<` and `|im_end|>`, so that
 * pieces which are encoded apart hold none. Text without any stays whole.
 */
export function specialTextCutter(specialTokens: readonly string[]): (text: string) => string[] {
  if (specialTokens.length === 0) return (text) => [text];
  const pattern = new RegExp(specialTokens.map(escapeRegExp).join('|'), 'gu');
  return (text) => {
    const pieces: string[] = [];
    let start = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const cut = match.index + String.fromCodePoint(text.codePointAt(match.index)!).length;
      pieces.push(text.slice(start, cut));
      start = pattern.lastIndex = cut;
    }
    return [...pieces, text.slice(start)];
  };
}

/** A character for private use that stands in none of the texts. */
export function unusedCharacter(texts: readonly string[]): string {
  for (let code = 0xe000; code <= 0xf8ff; code++) {
    const character = String.fromCharCode(code);
    if (!texts.some((text) => text.includes(character))) return character;
  }
  throw new Error('The conversation uses every private-use character from U+E000 to U+F8FF; remove some.');
}
