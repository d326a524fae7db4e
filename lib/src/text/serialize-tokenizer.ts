import type { BpeSpec } from './types.js';

/** Hugging Face `tokenizer.json`, with which the `tokenizers` library gives the same ids. */
export function serializeTokenizer({ vocab, merges, addedTokens, wordPattern }: BpeSpec): string {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: addedTokens.map(({ id, content, special }) => addedToken(id, content, special)),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: wordPattern }, behavior: 'Isolated', invert: false },
        byteLevel,
      ],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocab.map((token, id) => [token, id])),
      merges,
    },
  };
  return JSON.stringify(json, null, 1) + '\n';
}

/** A token that stands for itself, as `tokenizer.json` has it: no space beside it is swallowed. */
export function addedToken(id: number, content: string, special: boolean): object {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}
