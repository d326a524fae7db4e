/** One token a word: for small languages whose every word is known. */
import { addedToken } from './serialize-tokenizer.js';
import { chatTokens } from './chat.js';
import type { Tokenizer } from './types.js';

/**
 * A tokenizer of `words`, with the chat tokens as ids 0 to 4. Text is words between white space; `decode` puts one space between
 * tokens, so it inverts `encode` up to white space. As `tokenizer.json` it is Hugging Face's WordLevel.
 *
 * @throws when a word is empty, has white space in it or stands twice; `encode` throws on an unknown word, naming it.
 */
export function wordTokenizer(words: readonly string[]): Tokenizer {
  const vocabulary: readonly string[] = [...chatTokens, ...words];
  const idOf = new Map(vocabulary.map((word, id) => [word, id]));
  const odd = words.find((word) => !/^\S+$/u.test(word));
  if (odd !== undefined) throw new Error(`Word tokenizer: ${JSON.stringify(odd)} is not one word.`);
  if (idOf.size < vocabulary.length) throw new Error('Word tokenizer: a word stands twice in the list.');

  return {
    vocabSize: vocabulary.length,
    encode(text, { allowSpecial = false } = {}) {
      const found = text.split(/\s+/u).filter((word) => word !== '');
      return Int32Array.from(found, (word) => {
        const id = idOf.get(word);
        if (id !== undefined && (allowSpecial || id >= chatTokens.length)) return id;
        throw new Error(
          `${JSON.stringify(word)} is not among the ${words.length} words of this tokenizer; use only those.`,
        );
      });
    },
    decode(ids, { skipSpecial = false } = {}) {
      const decoded = Array.from(ids, (id) => {
        const word = vocabulary[id];
        if (word === undefined)
          throw new Error(`Token ${id} is not in the vocabulary of ${vocabulary.length}.`);
        return skipSpecial && id < chatTokens.length ? [] : [word];
      });
      return decoded.flat().join(' ');
    },
    tokenId: (token) => idOf.get(token),
    toJSON: () => JSON.stringify(wordLevel(vocabulary)),
  };
}

/** `tokenizer.json` of Hugging Face. The first chat token stands for the unknown one, which its format demands. */
function wordLevel(vocabulary: readonly string[]): unknown {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: chatTokens.map((content, id) => addedToken(id, content, true)),
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
      unk_token: chatTokens[0],
    },
  };
}
