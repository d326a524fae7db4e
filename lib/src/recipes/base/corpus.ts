/** What the base model reads: windows of two public-domain books, and packed copying exercises. */
import { randomStream, type RandomStream } from '../../tensor/random.js';
import { renderCompletion, renderPrompt } from '../../text/chat.js';
import type { Tokenizer } from '../../text/types.js';
import { wordsOf } from './labels.js';
import { drawExercise, type Document } from './records.js';

/** One packed training sequence; `mask` is 1 on the tokens whose prediction is learned. */
export interface PackedRow {
  readonly tokens: Int32Array;
  readonly mask: Uint8Array;
}

/** What lies in `data/corpus`. */
export interface Sources {
  /** Public-domain books, whole. */
  readonly books: readonly string[];
  /** Words of software, shops and schools that old books lack: single words in no order, without any relation. */
  readonly modernWords: readonly string[];
}

export interface Corpus {
  readonly words: readonly string[];
  /** The books as one token sequence; the last `heldOut` tokens are never trained on. */
  readonly prose: Int32Array;
  readonly heldOut: number;
}

const HELD_OUT_SHARE = 0.02;

/** Paragraphs on one line each, typewriter quotes: fewer rare tokens for a small vocabulary. */
export function cleanProse(text: string): string {
  return text
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/‑/g, '-')
    .replace(/—/g, ' - ')
    .replace(/([^\n])\n(?!\n)/g, '$1 ')
    .replace(/\n{2,}/g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/**
 * Texts the tokenizer learns its merges from: the books, enough exercises to see JSON, the modern words and the round
 * numbers below 1600 (each often enough to become one token, so that a coordinate is one decision; numbers are cut after three
 * digits, so those from 1000 on are two).
 */
export function tokenizerTexts({ books, modernWords }: Sources, seed: number): string[] {
  const prose = books.map(cleanProse);
  const words = wordsOf(prose.join('\n'));
  const exercises = Array.from({ length: 4000 }, (_, i) =>
    drawExercise(randomStream(seed, 'tokenizer', 0, i), words),
  );
  const roundNumbers = Array.from({ length: 160 }, (_, i) => `${10 * i},`).join(' ');
  return [
    ...prose,
    ...exercises.map(({ prompt, completion }) => `${prompt}\n${completion}`),
    ...Array.from({ length: 400 }, () => roundNumbers),
    ...Array.from({ length: 400 }, () => modernWords.join(' ')),
  ];
}

/** Books and words ready to be drawn from. A third of the labels' words are modern, whatever the length of the books. */
export function buildCorpus(tokenizer: Tokenizer, { books, modernWords }: Sources): Corpus {
  const text = books.map(cleanProse).join('\n');
  const bookWords = wordsOf(text);
  const repeats = Math.round(bookWords.length / 2 / Math.max(1, modernWords.length));
  const prose = tokenizer.encode(text);
  return {
    words: [...bookWords, ...Array.from({ length: repeats }, () => modernWords).flat()],
    prose,
    heldOut: Math.floor(prose.length * HELD_OUT_SHARE),
  };
}

/** A window of the books, starting anywhere in the training part. */
export function proseRow(corpus: Corpus, random: RandomStream, length: number): PackedRow {
  const start = random.int(corpus.prose.length - corpus.heldOut - length);
  return { tokens: corpus.prose.slice(start, start + length), mask: new Uint8Array(length).fill(1) };
}

/**
 * Exercises one after the other until the row is full, those longer than a row left out; only answers are learned, as
 * questions are random words.
 */
export function exerciseRow(
  corpus: Corpus,
  tokenizer: Tokenizer,
  random: RandomStream,
  length: number,
): PackedRow {
  const tokens: number[] = [];
  const mask: number[] = [];
  while (tokens.length < length) {
    const { question, answer } = encodeDocument(tokenizer, drawExercise(random, corpus.words));
    if (question.length + answer.length > length) continue;
    tokens.push(...question, ...answer);
    for (let i = 0; i < question.length + answer.length; i++) mask.push(i < question.length ? 0 : 1);
  }
  return { tokens: Int32Array.from(tokens.slice(0, length)), mask: Uint8Array.from(mask.slice(0, length)) };
}

function encodeDocument(
  tokenizer: Tokenizer,
  { prompt, completion }: Document,
): { question: Int32Array; answer: Int32Array } {
  return {
    question: renderPrompt(tokenizer, [{ role: 'user', content: prompt }]),
    answer: renderCompletion(tokenizer, completion),
  };
}
