/** How much two labels say the same thing, judged on what a reader sees. */

const invisible = /[\p{Cf}\uFE00-\uFE0F]/gu;
const punctuationOrSpace = /[\p{P}\s]/gu;
const cjk = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
const words = new RegExp(`[${cjk}]+|(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
/** Most labels are ASCII, where the same rules are a tenth of the work. */
const ascii = /^[\x20-\x7e]*$/;
const asciiWords = /[a-z0-9]+/g;
const startsWithCjk = new RegExp(`^[${cjk}]`, 'u');

/** Labels less alike than this do not match at all: one shared word of two must not pay. */
const matchThreshold = 0.55;

/** A label made ready for comparison, so that each label of a canvas is normalised only once. */
export interface FoldedLabel {
  /** NFKC, lower case, no invisible characters, single spaces. */
  readonly text: string;
  /** `text` without punctuation and spaces. */
  readonly letters: string;
  /** Bag of Latin words and CJK bigrams, sorted. */
  readonly tokens: readonly string[];
}

/** Normalises a label: NFKC, case folded, invisible characters dropped, white space collapsed. */
export function foldLabel(label: string): FoldedLabel {
  const seen = ascii.test(label) ? label : label.normalize('NFKC').replace(invisible, '');
  const text = seen.toLowerCase().replace(/\s+/gu, ' ').trim();
  return { text, letters: text.replace(punctuationOrSpace, ''), tokens: tokenize(text).sort() };
}

/** Words of folded text; runs of Chinese, Japanese or Korean, which has no spaces, give their character pairs. */
export function tokenize(text: string): string[] {
  if (ascii.test(text)) return text.match(asciiWords) ?? [];
  return (text.match(words) ?? []).flatMap((word) => (startsWithCjk.test(word) ? bigrams(word) : [word]));
}

function bigrams(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/**
 * Similarity of two labels in [0, 1]: 1 when they read the same, 0.9 when only punctuation differs, else 0.8 × Dice
 * over tokens, and 0 below 0.55. An empty label matches nothing, not even another empty label.
 */
export function similarity(a: string, b: string): number {
  return foldedSimilarity(foldLabel(a), foldLabel(b));
}

/** `similarity` of labels already folded. */
export function foldedSimilarity(a: FoldedLabel, b: FoldedLabel): number {
  if (a.text === '' || b.text === '') return 0;
  if (a.text === b.text) return 1;
  if (a.letters !== '' && a.letters === b.letters) return 0.9;
  const alike = 0.8 * bagOverlap(a.tokens, b.tokens);
  return alike < matchThreshold ? 0 : alike;
}

/** Sørensen–Dice coefficient of two sorted bags: 2 |A ∩ B| / (|A| + |B|); 0 when either is empty. */
export function bagOverlap(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [left, right] = [a[i]!, b[j]!];
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return (2 * shared) / (a.length + b.length);
}
