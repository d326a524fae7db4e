/** Byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909) over bytes (Radford et al. 2019). */
import { bpeTokenizer, mergePair } from './bpe-tokenizer.js';
import { byteCharacters } from './byte-alphabet.js';
import { sectionSplitter, splitWords, WORD_PATTERN } from './split.js';
import type { AddedToken, Tokenizer } from './types.js';

export interface TrainBpeOptions {
  /** Upper bound of the vocabulary: special tokens + pieces + 256 bytes + merges. At most 65,536. */
  readonly vocabSize: number;
  /** Ids 0, 1, … in this order. Never produced from text unless `allowSpecial`. */
  readonly specialTokens: readonly string[];
  /** Fixed ASCII strings that become one token each wherever they stand in a text. */
  readonly pieces?: readonly string[];
}

/** A pair seen once saves one token once: not worth an id. */
const MIN_PAIR_COUNT = 2;
const PAIR_BASE = 65_536;

/**
 * Learns a tokenizer from texts: the most frequent pair of neighbouring tokens inside a word becomes a token,
 * again and again. Equal counts: the pair with the smaller ids, so the result depends on the texts alone.
 * The vocabulary stays smaller than `vocabSize` when no pair occurs twice any more.
 * Throws when `vocabSize` is too small or too large, or a special token or piece is unusable.
 */
export function trainBpe(texts: Iterable<string>, options: TrainBpeOptions): Tokenizer {
  const addedTokens = checkedAddedTokens(options);
  const vocab = [...addedTokens.map((token) => token.content), ...byteCharacters];
  if (!(options.vocabSize >= vocab.length && options.vocabSize <= PAIR_BASE))
    throw new Error(
      `trainBpe: vocabSize is ${options.vocabSize}; expected ${vocab.length} (special tokens, pieces and 256 bytes) to ${PAIR_BASE}.`,
    );

  const words = countWords(texts, addedTokens);
  const pairs = countPairs(words);
  const merges: [string, string][] = [];
  while (vocab.length < options.vocabSize) {
    const pair = mostFrequent(pairs);
    if (pair === undefined) break;
    const left = Math.floor(pair / PAIR_BASE);
    const right = pair % PAIR_BASE;
    const text: [string, string] = [vocab[left]!, vocab[right]!];
    mergeEverywhere(words, pairs, left, right, vocab.length);
    merges.push(text);
    vocab.push(text[0] + text[1]);
  }
  return bpeTokenizer({ vocab, merges, addedTokens, wordPattern: WORD_PATTERN });
}

interface Word {
  ids: number[];
  readonly count: number;
}

interface PairStatistics {
  readonly counts: Map<number, number>;
  /** Words a pair has been seen in; a word may have lost the pair since. */
  readonly seenIn: Map<number, Set<number>>;
}

function checkedAddedTokens({ specialTokens, pieces = [] }: TrainBpeOptions): AddedToken[] {
  const contents = [...specialTokens, ...pieces];
  const repeated = contents.find((content, i) => contents.indexOf(content) !== i);
  if (repeated !== undefined)
    throw new Error(
      `trainBpe: ${JSON.stringify(repeated)} is given twice; special tokens and pieces must differ.`,
    );
  // One character could be a byte token already, and beyond ASCII the byte alphabet means something else.
  const unusable = contents.find((content) => !/^[\x00-\x7f]{2,}$/.test(content));
  if (unusable !== undefined)
    throw new Error(
      `trainBpe: ${JSON.stringify(unusable)} cannot be a special token or piece; expected two or more ASCII characters.`,
    );
  return contents.map((content, id) => ({ id, content, special: id < specialTokens.length }));
}

function countWords(texts: Iterable<string>, addedTokens: readonly AddedToken[]): Word[] {
  const split = sectionSplitter(addedTokens);
  const pattern = new RegExp(WORD_PATTERN, 'gu');
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const section of split(text, false)) {
      if ('token' in section) continue;
      for (const word of splitWords(section.text, pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  const utf8 = new TextEncoder();
  return [...counts].map(([word, count]) => ({
    ids: Array.from(utf8.encode(word), (byte) => addedTokens.length + byte),
    count,
  }));
}

function countPairs(words: readonly Word[]): PairStatistics {
  const pairs: PairStatistics = { counts: new Map(), seenIn: new Map() };
  words.forEach((word, index) => addPairs(pairs, word, index, 1));
  return pairs;
}

function addPairs(
  { counts, seenIn }: PairStatistics,
  { ids, count }: Word,
  index: number,
  sign: 1 | -1,
): void {
  for (let i = 0; i + 1 < ids.length; i++) {
    const pair = ids[i]! * PAIR_BASE + ids[i + 1]!;
    const updated = (counts.get(pair) ?? 0) + sign * count;
    if (updated === 0) counts.delete(pair);
    else counts.set(pair, updated);
    if (sign < 0) continue;
    const seen = seenIn.get(pair);
    if (seen) seen.add(index);
    else seenIn.set(pair, new Set([index]));
  }
}

function mostFrequent({ counts }: PairStatistics): number | undefined {
  let best: number | undefined;
  let bestCount = MIN_PAIR_COUNT;
  for (const [pair, count] of counts) {
    if (count < bestCount || (count === bestCount && best !== undefined && pair > best)) continue;
    best = pair;
    bestCount = count;
  }
  return best;
}

function mergeEverywhere(
  words: Word[],
  pairs: PairStatistics,
  left: number,
  right: number,
  merged: number,
): void {
  const pair = left * PAIR_BASE + right;
  for (const index of pairs.seenIn.get(pair) ?? []) {
    const word = words[index]!;
    addPairs(pairs, word, index, -1);
    word.ids = mergePair(word.ids, left, right, merged);
    addPairs(pairs, word, index, 1);
  }
  pairs.seenIn.delete(pair);
}
