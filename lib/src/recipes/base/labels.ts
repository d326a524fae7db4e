/** Names to copy: words of real books in every dress a label can wear, so that copying cannot be memorised. */
import type { RandomStream } from '../../tensor/random.js';

const SUFFIXES = [
  'v2',
  '(old)',
  '3',
  'no. 7',
  '2024',
  '(main)',
  'B',
  'II',
  '1.5',
  'x',
  '?',
  '()',
  '10',
] as const;
const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A pronounceable word that no book contains. */
function inventedWord(random: RandomStream): string {
  const syllables = 1 + random.int(3);
  let word = '';
  for (let i = 0; i < syllables; i++) {
    word += CONSONANTS.charAt(random.int(CONSONANTS.length)) + VOWELS.charAt(random.int(VOWELS.length));
    if (random.uniform() < 0.3) word += CONSONANTS.charAt(random.int(CONSONANTS.length));
  }
  return word;
}

/** Distinct words of a text, 2–12 letters, in order of first appearance. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.match(/\b[A-Za-z]{2,12}\b/g) ?? [])];
}

function label(random: RandomStream, words: readonly string[]): string {
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  const parts = Array.from({ length: count }, () =>
    random.uniform() < 0.22 ? inventedWord(random) : random.pick(words),
  );
  const dress = random.uniform();
  if (dress < 0.45) parts[0] = capitalised(parts[0] ?? '');
  else if (dress < 0.65) parts.forEach((part, i) => (parts[i] = capitalised(part)));
  else if (dress < 0.72) parts[0] = (parts[0] ?? '').toUpperCase();
  if (random.uniform() < 0.1) parts.push(random.pick(SUFFIXES));
  return parts.join(' ');
}

/** `count` labels, no two equal. */
export function distinctLabels(random: RandomStream, words: readonly string[], count: number): string[] {
  const labels = new Set<string>();
  while (labels.size < count) labels.add(label(random, words));
  return [...labels];
}
