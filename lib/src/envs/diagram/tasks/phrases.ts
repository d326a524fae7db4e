/** Small change of both languages. */
import type { RandomStream } from '../../../tensor/random.js';
import type { Language } from './scene.js';

/** `A`, `A and B`, `A, B and C`; in Chinese `甲、乙和丙`. */
export function enumerate(items: readonly string[], lang: Language = 'en', last?: string): string {
  const final = last ?? (lang === 'en' ? ' and ' : '和');
  if (items.length < 2) return items.join('');
  return items.slice(0, -1).join(lang === 'en' ? ', ' : '、') + final + items.at(-1);
}

const numerals = {
  en: ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  zh: ['零', '一', '两', '三', '四', '五', '六', '七', '八', '九', '十'],
} as const;

/** A count in words, up to ten. */
export function numeral(count: number, lang: Language = 'en'): string {
  return numerals[lang][count] ?? String(count);
}

/** The first letter in upper case; placeholders are left alone because labels already begin as they must. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** True with the given probability. */
export function chance(random: RandomStream, probability: number): boolean {
  return random.uniform() < probability;
}
