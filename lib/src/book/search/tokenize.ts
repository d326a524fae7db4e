/** Cuts text and queries into terms, in both languages; the usual cut at spaces and signs finds no word of a Chinese sentence. */

const WORD = /[\p{L}\p{M}\p{N}_]+(?:[@'’.][\p{L}\p{N}]+)*/gu;
const HAN = /\p{Script=Han}+/gu;
const chineseWords = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * Lower-case terms of the text: words, the parts of names of code (`clippedObjective`, `pass@k`), and of Chinese both the words that
 * `Intl.Segmenter` knows and all pairs of neighbours, because it cuts words that it does not know into single characters.
 */
export function tokenize(text: string): string[] {
  const plain = text.normalize('NFKC');
  const chinese = plain.match(HAN)?.flatMap(chineseTerms) ?? [];
  const words = plain.replace(HAN, ' ').match(WORD)?.flatMap(wordTerms) ?? [];
  return [...words, ...chinese];
}

function chineseTerms(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  const words = [...chineseWords.segment(run)].map(({ segment }) => segment);
  return [...new Set([...pairs, ...words.filter((word) => [...word].length > 2)])];
}

function wordTerms(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((part) => part !== '');
  const whole = word.toLowerCase();
  return parts.length < 2 ? [whole] : [whole, ...parts.map((part) => part.toLowerCase())];
}
