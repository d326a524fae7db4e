/** Encoding and decoding with a byte-level BPE. */
import { byteCharacters, bytesOfToken } from './byte-alphabet.js';
import { sectionSplitter, splitWords } from './split.js';
import { serializeTokenizer } from './serialize-tokenizer.js';
import type { BpeSpec, Tokenizer } from './types.js';

/** Words remembered with their tokens; a corpus repeats few of them very often. */
const CACHE_WORDS = 50_000;
/** Longer words are rare and not worth remembering. */
const CACHE_WORD_LENGTH = 64;

/**
 * A tokenizer from its definition. Text is cut at added tokens, then into words; inside a word the merge that
 * comes first in the list is applied first. Lone surrogates become U+FFFD, as in UTF-8.
 * Throws when the definition is inconsistent: a byte without a token, a merge of unknown tokens.
 */
export function bpeTokenizer(spec: BpeSpec): Tokenizer {
  const { vocab, addedTokens } = spec;
  const idOf = new Map(vocab.map((token, id) => [token, id]));
  if (idOf.size !== vocab.length) throw new Error('Tokenizer: two ids have the same token text.');
  const merge = wordMerger(spec, idOf);
  const split = sectionSplitter(addedTokens);
  const pattern = new RegExp(spec.wordPattern, 'gu');
  const byteIds = byteCharacters.map((character) => knownId(idOf, character));
  const utf8 = new TextEncoder();
  const cache = new Map<string, readonly number[]>();

  const encodeWord = (word: string): readonly number[] => {
    const cached = cache.get(word);
    if (cached) return cached;
    const ids = merge(Array.from(utf8.encode(word), (byte) => byteIds[byte]!));
    if (word.length <= CACHE_WORD_LENGTH) {
      if (cache.size >= CACHE_WORDS) cache.clear();
      cache.set(word, ids);
    }
    return ids;
  };

  const special = new Set(addedTokens.filter((token) => token.special).map((token) => token.id));
  const added = new Map(addedTokens.map((token) => [token.id, utf8.encode(token.content)]));
  const bytes = vocab.map((token, id) => added.get(id) ?? bytesOfToken(token));

  return {
    vocabSize: vocab.length,
    encode(text, { allowSpecial = false } = {}) {
      const ids: number[] = [];
      for (const section of split(text, allowSpecial)) {
        if ('token' in section) ids.push(section.token.id);
        else
          for (const word of splitWords(section.text, pattern))
            for (const id of encodeWord(word)) ids.push(id);
      }
      return Int32Array.from(ids);
    },
    decode(ids, { skipSpecial = false } = {}) {
      const parts: Uint8Array[] = [];
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i]!;
        const part = bytes[id];
        if (!part)
          throw new RangeError(
            `decode: ${id} at position ${i} is no token id; expected 0 to ${vocab.length - 1}.`,
          );
        if (!(skipSpecial && special.has(id))) parts.push(part);
      }
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(joinBytes(parts));
    },
    tokenId: (token) => idOf.get(token),
    toJSON: () => serializeTokenizer(spec),
  };
}

/** Replaces each `left, right` by `merged`, from left to right. */
export function mergePair(ids: readonly number[], left: number, right: number, merged: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] === left && ids[i + 1] === right) {
      result.push(merged);
      i++;
    } else result.push(ids[i]!);
  }
  return result;
}

/**
 * Applies the earliest merge of the list everywhere, until none applies. Same result as merging one pair at a
 * time, because a merge that uses a new token comes later in the list than the merge that made it.
 */
function wordMerger(spec: BpeSpec, idOf: ReadonlyMap<string, number>): (ids: number[]) => number[] {
  const key = (left: number, right: number): number => left * spec.vocab.length + right;
  const merges = spec.merges.map(([left, right]) => ({
    left: knownId(idOf, left),
    right: knownId(idOf, right),
    merged: knownId(idOf, left + right),
  }));
  const rankOf = new Map(merges.map(({ left, right }, rank) => [key(left, right), rank]));
  return (ids) => {
    for (;;) {
      let rank = Infinity;
      for (let i = 0; i + 1 < ids.length; i++)
        rank = Math.min(rank, rankOf.get(key(ids[i]!, ids[i + 1]!)) ?? Infinity);
      const merge = merges[rank];
      if (!merge) return ids;
      ids = mergePair(ids, merge.left, merge.right, merge.merged);
    }
  };
}

function knownId(idOf: ReadonlyMap<string, number>, token: string): number {
  const id = idOf.get(token);
  if (id === undefined) throw new Error(`Tokenizer: ${JSON.stringify(token)} is not in the vocabulary.`);
  return id;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
